"""Chinese texts of `evidence`: records and questions about them."""

from ..evidence import Words
from ..values import Formats, ValueKind
from .names import GROUPS, OFFICERS, SITES, SUPERVISORS


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FORMATS = Formats(
    # Numbers below 100 with one to three decimals, and amounts above 100,000, do not occur in passages.
    masks={
        "decimal": ("0.##", "#.#", "#.##", "##.#", "0.###"),
        "amount": ("##.##万", "###.#万", "#.##亿", "###,###"),
        "percent": ("#.#%", "##.#%", "0.##%", "#.##%"),
        "code": ("@##-###@", "@@##-##", "#@@-###", "@#@-###"),
    },
    dates=(
        "{year}年{month}月{day}日",
        *("{year}年{mm}月{dd}日", "{year}年{month}月{day}号", "{year} 年 {month} 月 {day} 日"),
        *(
            "{year}-{mm}-{dd}",
            "{year}-{m}-{day}",
            "{year}/{mm}/{dd}",
            "{year}/{m}/{day}",
            "{year}.{mm}.{dd}",
            "{year}.{m}.{day}",
        ),
    ),
    months=tuple(str(month) for month in range(1, 13)),
    first_year=1921,
    last_year=2019,
    first_names=("",),
    surnames=OFFICERS,
)
_QUANTITIES: dict[ValueKind, tuple[str, ...]] = {
    "decimal": _words(
        "漂移量 吸光度 孔隙率 阻尼系数 收缩率 浊度 延伸率 迟滞量 黏度 反射率 透光率 渗透系数 摩擦系数 各向异性 膨胀率 "
        "疲劳极限 亮度 电导率 保留率 分散度 刚度 共振频率 蠕变量 热导率"
    ),
    "percent": _words("剔除率 含水率 回收率 破损率 杂质占比 吸收率 重合率 磨损率 褪色率 装填率 成功率 残渣占比"),
    "amount": _words("经费 设备费 保险金额 资助额 透支额 工资总额 维修费 押金 运费 储备金 概算 电费"),
    "date": _words("开工日期 检查日期 交货日期 结题日期 校准日期 复核日期 取样日期 放行日期"),
    "code": _words("样品代号 库位代号 批次代号 仪器代号 方案代号 归档代号 封条代号 箱子代号"),
    "name": _words("首席技师 安全员 初审人 仪器管理员 数据员 外聘评审 夜班操作员 质检员"),
}
_MATERIALS = _words(
    "琼脂 雪花石 琥珀 竹材 玄武岩 蜂蜡 沥青 青铜 樟脑 酪素 赛璐珞 纤维素 陶土 木炭 软木 珐琅 长石 燧石 纱布 明胶 釉料 花岗岩 "
    "石墨 石膏 碧玉 黄麻 高岭土 生漆 壤土 大理石 云母 镍片 黑曜石 玛瑙 莎草纸 石蜡 泥炭 果胶 锡镴 瓷土 浮石 石英 酒椰 藤条 "
    "树脂 橡胶 砂岩 缎料 虫胶 剑麻 炉渣 皂石 淀粉 滑石 牛脂 松节油 羊皮纸 丝绒 锌片 硅石 蛭石 木棉 白垩 珊瑚 贝壳 桐油"
)
_TREATMENTS = _words("陈化 粗粒 深色 硬化 加热 分层 浅色 粉状 压制 未处理的 水洗 风化")
_DIGITS = "一二三四五六七八九"


def ordinal(number: int) -> str:
    """Return a number from 1 to 99 in words: 三, 十二, 二十一."""
    tens, ones = divmod(number, 10)
    return f"{_DIGITS[tens - 1] if tens > 1 else ''}{'十' if tens else ''}{_DIGITS[ones - 1] if ones else ''}"


_HOW_MUCH = ("{group}的{quantity}是多少？", "根据报告，{group}的{quantity}是多少？", "对于{group}，{quantity}是多少？")
_WHAT = ("{group}的{quantity}是什么？", "根据报告，{group}的{quantity}是什么？", "对于{group}，{quantity}是什么？")
_WHO = ("{group}的{quantity}是谁？", "根据报告，{group}的{quantity}是谁？", "对于{group}，{quantity}是谁？")

RECORDS = Words(
    formats=_FORMATS,
    quantities={
        kind: tuple((name, "元" if kind == "amount" else "") for name in names) for kind, names in _QUANTITIES.items()
    },
    groups=GROUPS,
    supervisors=("{surname}",),
    surnames=SUPERVISORS,
    sites=SITES,
    materials=_MATERIALS,
    treatments=tuple(f"{treatment}{{material}}" for treatment in _TREATMENTS),
    ordinal=ordinal,
    ordinal_key="第{ordinal}组",
    whole=(
        "第{ordinal}组{name}由{supervisor}带队，在{site}研究{material}。",
        "在{site}，{supervisor}带领第{ordinal}组{name}试验{material}。",
        "{name}是第{ordinal}组，设在{site}，研究{material}，带队的是{supervisor}。",
        "{site}的{material}试验交给了第{ordinal}组{name}，由{supervisor}带队。",
        "由{supervisor}带队的第{ordinal}组名叫{name}，在{site}研究{material}。",
        "{name}作为第{ordinal}组，在{site}做{material}的试验，组长是{supervisor}。",
        "第{ordinal}组的名称是{name}，组长{supervisor}，驻地{site}，研究对象为{material}。",
        "{supervisor}担任第{ordinal}组{name}的组长，在{site}试验{material}。",
        "第{ordinal}组即{name}，驻在{site}，以{material}为研究对象，组长是{supervisor}。",
        "{material}交由第{ordinal}组{name}在{site}试验，{supervisor}带队。",
    ),
    halves=(
        (
            ("第{ordinal}组是{name}，由{supervisor}带队。", "{supervisor}带领的是第{ordinal}组{name}。"),
            ("{name}在{site}试验{material}。", "在{site}，{name}研究的是{material}。"),
        ),
        (
            ("{name}是第{ordinal}组，驻在{site}。", "驻在{site}的是第{ordinal}组{name}。"),
            ("{name}由{supervisor}带队，研究{material}。", "{supervisor}带领{name}试验{material}。"),
        ),
        (
            ("第{ordinal}组{name}研究{material}。", "{name}为第{ordinal}组，试验对象是{material}。"),
            ("{name}驻在{site}，由{supervisor}带队。", "在{site}，{supervisor}担任{name}的组长。"),
        ),
    ),
    measured={
        "1": (
            "{name}的{q1}为{v1}。",
            "{name}测得的{q1}是{v1}。",
            "据{name}报告，{q1}是{v1}。",
            "{name}的{q1}最后定在{v1}。",
            "{name}给出的{q1}是{v1}。",
        ),
        "2": (
            "{name}的{q1}为{v1}，{q2}为{v2}。",
            "{name}测得的{q1}是{v1}，{q2}是{v2}。",
            "据{name}报告，{q1}是{v1}，{q2}是{v2}。",
            "{name}的{q1}达到{v1}，{q2}则停在{v2}。",
            "在{name}，{q1}稳定在{v1}，{q2}稳定在{v2}。",
        ),
        "3": (
            "{name}的{q1}为{v1}，{q2}为{v2}，{q3}为{v3}。",
            "{name}测得的{q1}是{v1}，{q2}是{v2}，{q3}是{v3}。",
            "据{name}报告，{q1}是{v1}，{q2}是{v2}，{q3}是{v3}。",
            "{name}的结果如下：{q1}{v1}，{q2}{v2}，{q3}{v3}。",
            "{name}把{q1}定为{v1}，{q2}定为{v2}，{q3}定为{v3}。",
            "在{name}的试验中，{q1}为{v1}，{q2}为{v2}；{q3}停在{v3}。",
        ),
    },
    stated={
        "1": ("{name}的{q1}是{v1}。", "{name}登记的{q1}为{v1}。", "按{name}的记录，{q1}是{v1}。"),
        "2": (
            "{name}的{q1}是{v1}，{q2}是{v2}。",
            "{name}登记的{q1}为{v1}，{q2}为{v2}。",
            "按{name}的记录，{q1}是{v1}，{q2}是{v2}。",
        ),
        "3": (
            "{name}的{q1}是{v1}，{q2}是{v2}，{q3}是{v3}。",
            "{name}登记的{q1}为{v1}，{q2}为{v2}，{q3}为{v3}。",
            "{name}一栏写着：{q1}{v1}，{q2}{v2}，{q3}{v3}。",
        ),
    },
    orders=("W3", "3W", "W21", "W12", "1W2", "2W1", "Hh3", "H3h", "3Hh", "H2h1", "H1h2", "Hh21", "Hh12"),
    between="",
    stems={
        **dict.fromkeys(("decimal", "percent", "amount"), _HOW_MUCH),
        **dict.fromkeys(("date", "code"), _WHAT),
        "name": _WHO,
    },
    group={
        "name": ("名为{key}的组", "{key}"),
        "ordinal": ("{key}",),
        "supervisor": ("由{key}带队的组", "{key}带领的组"),
        "site": ("驻在{key}的组", "在{key}工作的组"),
        "material": ("研究{key}的组", "试验{key}的组"),
    },
    attributes=("supervisor", "site", "material"),
    answers={
        "decimal": ("只回答数字。", "请只给出数字，不要其他内容。", "只写数字即可。", "回答时只写数字，不作说明。"),
        "percent": ("只回答百分比。", "请只给出百分比，不要其他内容。", "只写百分比即可。"),
        "amount": ("只回答金额，写法与报告一致。", "请只给出金额，照报告的写法。", "照报告的写法只写金额即可。"),
        "date": ("只回答日期，写法与报告一致。", "请只给出日期，照报告的写法。", "照报告的写法只写日期即可。"),
        "code": ("只回答代号。", "请只给出代号，不要其他内容。", "只写代号即可。"),
        "name": ("只回答姓名。", "请只给出姓名，不要其他内容。", "只写姓名即可。"),
    },
    not_stated="未提及",
    if_not_stated=(
        "如果报告没有写，就回答“{not_stated}”。",
        "报告里没有的话，请回答“{not_stated}”。",
        "若报告中查不到，请写“{not_stated}”。",
    ),
)
