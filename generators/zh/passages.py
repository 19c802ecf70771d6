"""Chinese texts of `copy`: sentences with names, numbers, quotes and punctuation that cannot be guessed.

The slot `goods` is a measure word with a noun, to follow a number; `wares` is only the noun, `good` a noun counted with 只,
and `look` ends in 的. Punctuation is full-width, a dash is ——, and there are no spaces. Numbers are integers below 1,000,
amounts from 1,000 to 98,999, decimals with at least four places that do not end in zero, percentages of one of these kinds,
and years before 1900. None of them can be a value of a record or a chain.
"""

import random
from collections.abc import Callable, Mapping

from ..copy import Words
from .names import PASSAGE_PEOPLE, PLACES


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_SHORT = (
    "{who}不肯。",
    "实付{amount}。",
    "非{n}，乃{n}。",
    "答曰“{nick}”。",
    "至{time}，价未动。",
    "至于{wares}，一概没有。",
    "{n}{goods}，{n}个盖子。",
    "复秤：{decimal}。",
    "先说{place}，后无下文。",
    "参看{id}，第{n}页。",
    "那只{look}{good}，不见了。",
    "{surname}名下：{percent}。",
    "{date}立，无押。",
    "“怎么是{n}？”{surname}问。",
    "{surname}笑了（两回）。",
    "{who}到，已迟。",
    "退回{n}，全是{look}。",
    "{place}无{wares}。",
    "{time}，脱手。",
    "{day}，雨，{n}{goods}。",
)

_LONG = (
    "{date}{time}，{who}将{n}{goods}由{place}运往{place}。",
    "过手的是{amount}，并非{surname}一口咬定的{amount}。",
    "{n}{goods}之中，{percent}是{look}，其余不是{look}就是{look}，统归{who}。",
    "{who}致{surname}信中道：“{words}。”信尾又添：“{words}。”",
    "“{words}。”{surname}如此说，{surname}却道：“{words}。”",
    "{id}号账下记着{n}{goods}，{n}{goods}，外加一只{look}{good}，{surname}唤作“{nick}”。",
    "又回{place}去了，那{n}{goods}，还是{look}，封条一张未动。",
    "{who}称出来的数（先是{decimal}，后是{decimal}），被{surname}一笔勾去。",
    "{wares}已够重，{wares}更重，最重的却是{surname}那只{look}{good}。",
    "清点下来短少三样：一只{good}，一只{look}{good}，还有{who}的全部{wares}。",
    "{time}报价{amount}，及至{time}，已是{amount}，无人敢接。",
    "{who}（{date}生于{place}）名下并无{wares}，只有一只{good}和{n}{goods}。",
    "{surname}也罢，{who}也罢，都不肯在{id}上画押：{wares}太多，{wares}太少。",
    "{decimal}比{n}，这个数在{place}当众念过，除了{surname}，谁也没有记下。",
    "那只{look}{good}底下压着字条，是{surname}的笔迹，上写“{words}”。",
    "{surname}的{good}原是{look}，到{date}再看，竟成了{look}。",
    "出{amount}买下{n}{goods}的是{who}，把那只{look}{good}留在手里的，却是{surname}。",
    "自{place}来了{n}{goods}，自{place}又来{n}，至于{surname}，只带来一只{good}。",
    "{id}第{n}行写的是：“{words}；要不然，{words}。”",
    "{day}，{time}，{who}清点{wares}，先得{n}，后得{n}，第三遍便乱了。",
    "{place}那只{look}{good}叫“{nick}”，{who}弄丢的那只，叫“{nick}”。",
    "说那批{wares}是{look}，{surname}肯认；说数目到了{n}，便抵死不认。",
    "起先说{percent}归{who}，后来说{percent}归{surname}，至于那只{look}{good}，谁到{place}来讨便归谁。",
    "问起{id}，{surname}拿出来的是一只{good}、{n}{goods}，还有一纸{amount}的收条。",
    "{wares}{decimal}斤，抬进{place}，到{time}抬出来，成了{n}{goods}，而且是{look}。",
    "{date}由{who}代{surname}签字，注明“只认{n}{goods}，不认{good}”。",
    "晌午以前是{wares}（共{n}），晌午以后是{wares}，{id}这条规矩便是如此。",
    "第{n}页上，那只{look}{good}旁边，{surname}画了{n}{goods}，题道“{words}”。",
    "究竟欠{amount}还是{amount}，{who}说不上来；{place}则分文不欠。",
    "{date}，{who}押车出{place}，随身一只{look}{good}、{n}{goods}，并{surname}亲笔信一封。",
)

_CLOSINGS = (
    "——至少{who}敢这样赌咒",
    "；{surname}为此赔上一只{good}",
    "（铅笔添注：{n}）",
    "；此外{surname}抽{percent}",
    "；旁注{decimal}，不详何意",
    "（{who}第{n}次问起此事）",
    "；{wares}的事，一字未提",
)
"""Optional endings of long sentences, before the final 。; not used for sentences that end in 。”."""

_QUOTES = (
    "{time}以前不许碰{wares}",
    "凡是{look}，都要点两遍",
    "是{n}，从来不是{n}",
    "第{n}页烧掉，第{n}页留着",
    "{place}还欠我们{amount}",
    "{id}的事去问{who}",
    "{good}终究不是{good}",
    "我宁可把{wares}吃下去",
    "带{n}{goods}来，别误了时辰",
    "{amount}就卖，{amount}才买",
    "{look}{good}信不得",
    "{good}底下还有一只{good}",
    "{surname}不肯付，{surname}付不起",
    "说声{nick}，门自会开",
    "{decimal}，一丝也不能多",
)

_GOODS = _words(
    "盏灯笼 把木桨 口铁锅 把铜勺 枚顶针 颗核桃 顶斗笠 面铜镜 支蜡烛 根羽毛 串铜铃 双草鞋 副马鞍 把雨伞 张渔网 条腰带 "
    "块墨锭 方砚台 卷麻绳 坛米酒 筐萝卜 捆芦席 匹粗布 床棉被 扇门板 架纺车 条咸鱼 件蓑衣 粒纽扣 杆烟袋 支竹笛 块茶砖"
)
_WARES = tuple(goods[1:] for goods in _GOODS)
"""Nouns of `_GOODS` without the measure word, which is the first character."""
_THINGS = _words(
    "铜壶 木桶 罗盘 鹦鹉 八哥 竹篮 摇篮 座钟 皮箱 香炉 花瓶 葫芦 铁锚 陶罐 怀表 木匣 鸟笼 枕头 手鼓 风箱 漏斗 瓦盆 石狮 "
    "秤砣 木鱼 海螺 沙漏 蟋蟀 水瓢 陀螺"
)
"""Nouns counted with 只."""
_LOOKS = _words(
    "生锈的 缺角的 描金的 借来的 歪斜的 发霉的 空心的 半旧的 褪色的 开裂的 带条纹的 上过漆的 薄如纸的 没名字的 豆青色的 "
    "盐渍过的 补过两回的 长了青苔的 烧焦半边的 咬过一口的"
)
_NICKS = (
    _words("嘟 哔 哞 哐 噗 嗒 咿 吱 乌 呜"),
    _words("啰 呱 哩 卜 叭 咚"),
    _words("当 朵 咪 呆 米 皮 团 巴"),
)
"""Three syllables of an invented word."""
_CALLED = ("老{family}", "{family}掌柜", "{family}先生", "{family}账房", "{family}东家", "{family}船主")
"""Short forms of a name, with the family name: the first character of a name of `names.PASSAGE_PEOPLE`."""
_DAYS = _words("立春 惊蛰 清明 谷雨 立夏 芒种 夏至 立秋 白露 霜降 立冬 冬至")
_COINS = _words("文 两 贯 吊 银元")
_DIVISIBLE = _words("两 银元")  # units with decimal fractions

_TITLES = (
    "{name}账册",
    "{name}来信",
    "{name}夜话",
    "{name}旧闻",
    "{name}公案",
    "{name}灯火",
    "{name}十二夜",
    "{name}盘货记",
    "{name}行船录",
    "{name}争产始末",
)

_STEMS = "甲乙丙丁庚辛壬癸"  # without 己 and 戊, which resemble 已 and 戌
_BRANCHES = "子丑寅卯辰午未申酉戌亥"  # without 巳


def _values(rng: random.Random) -> Mapping[str, Callable[[], str]]:
    return {
        "n": lambda: str(rng.randint(11, 989)),
        "amount": lambda: _amount(rng),
        "decimal": lambda: f"{rng.randint(0, 98)}.{_decimals(rng)}",
        "percent": lambda: f"{rng.randint(2, 98)}{rng.choice(('', f'.{_decimals(rng)}'))}%",
        "id": lambda: f"{rng.choice(_STEMS)}/{rng.randint(11, 989)}-{rng.choice(_BRANCHES)}",
        "date": lambda: f"{rng.randint(1501, 1899)}年{rng.randint(1, 12)}月{rng.randint(1, 28)}日",
        "time": lambda: f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}",
    }


def _amount(rng: random.Random) -> str:
    """Draw an amount: 4,870文, 12,350.50银元 or 3.2507万两. Those in 万 have four decimals, unlike values of records."""
    coin = rng.choice(_COINS)
    if rng.random() < 0.3:
        return f"{rng.randint(1, 8)}.{rng.randint(0, 999):03d}{rng.randint(1, 9)}万{coin}"
    fraction = rng.choice(("", ".50", ".75")) if coin in _DIVISIBLE else ""
    return f"{rng.randint(1_000, 98_999):,}{fraction}{coin}"


def _decimals(rng: random.Random) -> str:
    """Draw four or five decimals that do not end in zero."""
    return f"{rng.randint(0, 999):03d}{rng.choice(('', '0', '7'))}{rng.randint(1, 9)}"


def _short_name(name: str) -> str:
    return _CALLED[sum(map(ord, name)) % len(_CALLED)].format(family=name[0])


_TABLE_TITLES = (
    "{name}货单",
    "{name}存货簿",
    "{name}过秤单",
    "{name}押运簿",
    "{name}行市表",
    "{name}往来总账",
    "{name}出货清单",
    "{name}当票存根",
)
_COLUMNS = (
    ("编号", "{id}"),
    ("经手人", "{who}"),
    ("货物", "{n}{goods}"),
    ("净重（斤）", "{decimal}"),
    ("货款", "{amount}"),
    ("交割日期", "{date}"),
)

PASSAGES = Words(
    short=_SHORT,
    long=_LONG,
    stop="。",
    closings=_CLOSINGS,
    quotes=_QUOTES,
    nicks=_NICKS,
    pools={"goods": _GOODS, "wares": _WARES, "good": _THINGS, "look": _LOOKS, "day": _DAYS},
    values=_values,
    people=("{surname}",) * 3,
    surnames=PASSAGE_PEOPLE,
    short_name=_short_name,
    places=PLACES,
    between="",
    begin="【片段{key}开始】",
    end="【片段{key}结束】",
    titles=_TITLES,
    table_titles=_TABLE_TITLES,
    columns=_COLUMNS,
    counts=_words("一 两 三 四 五 六 七 八"),
    questions={
        "marked": (
            "请把标记为{key}的片段一字不差地抄写一遍，不要标记，也不要任何说明。",
            "请原样抄出片段{key}，从第一个字到最后一个字，一字不差。开头和结尾的标记不要抄，也不要添加任何说明。",
            "片段{key}的两个标记之间写了什么？请一字不差地写出来，不要标记，不要任何说明。",
            "请完整引用片段{key}的原文，标点也照原样，一字不差。不要重复标记，也不要作任何说明。",
        ),
        "section": (
            "请把标题为“{key}”的那一节的第一段一字不差地抄写一遍，不要标题，也不要任何说明。",
            "请原样抄出标题“{key}”下面的第一段，一字不差。标题不要抄，抄到这一段结束为止，不要添加任何说明。",
            "“{key}”这一节开头的一段写了什么？请一字不差地写出来，不要标题，不要任何说明，也不要接着往下写。",
            "请完整引用“{key}”一节第一段的原文，标点也照原样，一字不差。不要重复标题，不要抄后面的段落，也不要作任何说明。",
        ),
        "after": (
            "请把“{key}”这句话后面紧接着的{count}句话一字不差地抄写一遍，这句话本身不要抄，也不要任何说明。",
            "文中“{key}”一句之后，紧跟着的{count}句话是什么？请一字不差地写出来，不要重复这一句，不要任何说明。",
            "请找到“{key}”这句话，从它的下一句起，原样抄出{count}句话，一字不差，不要添加任何说明。",
            "请完整引用紧接在“{key}”之后的{count}句话，标点也照原样，一字不差。引号里的这一句不要抄，也不要作任何说明。",
        ),
        "rows": (
            "请把表格“{key}”中从{first}到{last}的各行（含首尾）一字不差地抄写一遍，每行各占一行，保留竖线，不要表头和任何说明。",
            "请原样抄出表格“{key}”里编号从{first}起、到{last}为止的各行，一字不差，每行单独成行，竖线照抄，不要表头，不要任何说明。",
            "表格“{key}”中，从编号{first}那一行到编号{last}那一行写了什么？请连同竖线逐行照抄，一字不差，不要表头，不要任何说明。",
            "请完整引用表格“{key}”从{first}到{last}的各行（包括这两行），连竖线在内一字不差，一行占一行。不要表头，也不要作任何说明。",
        ),
    },
)
