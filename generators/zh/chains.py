"""Chinese texts of `multihop`: facts about people, and questions that follow them."""

from ..multihop import Words
from .names import PEOPLE, TOWNS

CHAINS = Words(
    people=PEOPLE,
    towns=TOWNS,
    relations=("师傅", "房东", "老师", "医生", "律师", "监护人", "雇主", "债主", "介绍人", "接班人"),
    attributes={
        "number": ("工牌号", "会员号", "账号", "柜号", "档案号"),
        "name": ("籍贯", "出生地", "成婚地", "寄居地", "收信地"),
    },
    relation_facts=(
        "{one}的{relation}是{other}。",
        "{other}是{one}的{relation}。",
        "多年来，{other}一直是{one}的{relation}。",
        "人人都知道，{one}的{relation}就是{other}。",
        "登记册上写着，{one}的{relation}是{other}。",
        "问起来，{one}说自己的{relation}是{other}。",
        "点到{one}的{relation}时，站起来的是{other}。",
        "以{one}的{relation}身份签字的，是{other}。",
        "要说{one}的{relation}，那便是{other}。",
    ),
    attribute_facts=(
        "{one}的{attribute}是{value}。",
        "{value}是{one}的{attribute}。",
        "人人都知道，{one}的{attribute}就是{value}。",
        "登记册上写着，{one}的{attribute}是{value}。",
        "问起来，{one}说自己的{attribute}是{value}。",
        "在{attribute}一栏，{one}填的是{value}。",
        "查到{one}的{attribute}，办事员念道：{value}。",
        "要说{one}的{attribute}，那便是{value}。",
    ),
    nested=(
        "{whose}的{attribute}是什么？",
        "根据报告，{whose}的{attribute}是什么？",
        "请问，{whose}的{attribute}是什么？",
    ),
    whose="{one}的{relation}",
    stepwise=("{steps}。最后这个人的{attribute}是什么？", "{steps}。请写出最后这个人的{attribute}。"),
    first_step="先找到{one}的{relation}",
    next_step="这个人的{relation}",
    between_steps="，再找到",
    answers={
        "number": ("只回答号码。", "请只给出号码，不要其他内容。", "只写号码即可。"),
        "name": ("只回答地名。", "请只给出地名，不要其他内容。", "只写地名即可。"),
    },
    between="",
)
