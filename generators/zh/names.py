"""Invented Chinese names, of three characters each.

The three sets of a kind have no character in common, so that two names that differ in two places differ in two characters.
No last character belongs to two kinds, so that no name belongs to two kinds. No two kinds of people share a family name,
which is the first character.
"""

from ..names import Syllables

DISTANCE = 2


def _characters(*places: str) -> Syllables:
    return Syllables(places, DISTANCE)


GROUPS = _characters(
    "听望倚观临碧翠素清幽寒晴映拥揽醉澄栖",
    "松竹荷梅鹭鹤雁鸥蕉枫棠萍岚霞溪雪云苇",
    "阁亭轩榭斋庐台楼苑园堂馆居舍廊院坞洲",
)
SUPERVISORS = _characters(
    "沈陆顾苏程许梁谢韩傅曹彭潘董袁蒋杜魏吕卢",
    "文志明子景启承维静昭学季克立嘉修伯怀",
    "衡远谦恒毅瑜哲彦宁澜霖沛翰渊弘勋峻涛",
)
SITES = _characters(
    "青乌赤苍白紫双七九高古孤卧望灵瑞丹秀",
    "石牛鹿狼枫燕楠雀杉榆槐柳桃杏柏桐枣栗",
    "湾岭坡沟湖溪谷滩岛坪塬川岗坝峡泉峰洼",
)
PASSAGE_PEOPLE = _characters(
    "贺邵葛邢乔庞倪聂殷詹耿焦俞祝阮柯裴骆戚窦",
    "润守敬绍继鸿宝兆锡秉毓焕廷仁振承士汝",
    "臣卿甫昌隆祥泰禄亨瑞槐桂庆璋奎铭麟恩",
)
PLACES = _characters(
    "青赤乌苍紫翠寒晚荒野古断斜双白孤独新",
    "榆荻桑菱蒲柚杏梨樟槐蕉椿桐芦榕棠葵枣",
    "渡桥埠浦塘驿庄寨堡关坊巷墟圩堰矶闸津",
)
PEOPLE = _characters(
    "唐秦崔谭廖范戴贾夏邱侯邹熊孟薛尹段雷黎陶",
    "晓思沐若嘉梓亦语欣雪佳知梦可心念静雅",
    "帆洋晨阳桐楠琳颖怡昕悦妍菲薇彤曦莹婷",
)
TOWNS = _characters(
    "安宁丰泰昌宜兴永乐康顺长平福嘉清秀吉",
    "柳桃枫杏槐桑榆椿棉梅藤莲苇荷栗楠橡樟",
    "镇城屯村营口头门塔寺窑井坳冲洞庙河山",
)
OFFICERS = _characters(
    "王李张刘陈杨黄赵吴周徐孙朱胡郭林罗郑宋邓",
    "建宏春永晓正玉福东新振卫庆世保成志贵",
    "强刚勇斌磊辉杰鹏亮根胜锋坤松飞凯彪良旺",
)

KINDS = (GROUPS, SUPERVISORS, SITES, OFFICERS, PASSAGE_PEOPLE, PLACES, PEOPLE, TOWNS)
