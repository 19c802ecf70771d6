"""Grammar of the Chinese filler prose, and words that fit every scene.

Each paragraph of `GRAMMAR` is a symbol with its alternatives: a word in capitals is expanded further, a `{slot}` is filled
from the scene or from `COMMON`. Spaces only separate symbols. The slots of a sentence, in order, are its shape. An
alternative that is listed twice is drawn twice as often.

Each combination of a verb, its object and an aspect is one slot (made by `haystack`). For 修补/补好 and 旧栈桥 they are

    do      修补旧栈桥        did     补好了旧栈桥      took    把旧栈桥补好了
    finish  补好旧栈桥        once    修补过旧栈桥      take    把旧栈桥补好
    done    旧栈桥补好了      done_already 旧栈桥已经补好了    done_at_last 旧栈桥总算补好了    undone 旧栈桥还没补好

and `do_so`, `did_so`, `took_so` with a circumstance in front. Causes only explain delays; actions have their own reasons.
Places are combined with people and with things that stay in place, not with work.
"""

GRAMMAR = """
SENTENCE
  STATEMENT
  STATEMENT
  STATEMENT
  STATEMENT
  STATEMENT
  STATEMENT
  STATEMENT
  DELAY
  REPORT
  REPORT
  SCENERY
  SCENERY
  SHORT
  SPECIAL
  SPECIAL

STATEMENT
  SUBJECT ACT TAIL
  SUBJECT ACT TAIL
  SUBJECT ACT TAIL
  SUBJECT ACT
  PEOPLE {soon} ACT
  PEOPLE {soon} ACT TAIL
  {when}，SUBJECT ACT
  {when}，SUBJECT ACT TAIL
  FRONT，SUBJECT ACT
  FRONT，SUBJECT ACT
  FRONT，SUBJECT ACT TAIL
  FRONT，PEOPLE ACT LINK PEOPLE ACT
  PEOPLE ACT LINK PEOPLE ACT
  PEOPLE ACT LINK PEOPLE ACT TAIL
  PEOPLE {did}，PEOPLE {did}，{person}{took}
  PEOPLE {took}，{crew}们{did}，{person}则在{place}{rested}
  SUBJECT花了{span}{do}
  SUBJECT花了{span}{do} TAIL
  SUBJECT花了{span}，才{take}
  SUBJECT花了{span}，总算{took}
  THING
  {when}，DEED
  {however}，DEED
  DEED LINK PEOPLE ACT
  DEED，PEOPLE这才去{do}
  TURN
  TURN
  TURN

TURN
  听说{done_already}，PEOPLE便去{do}
  没等{crew}们{take}，PEOPLE就{took}
  等{take}，PEOPLE才去{do}
  {take}之前，PEOPLE先{took}
  刚刚{finish}，PEOPLE又去{do}
  一听说要{do}，{person}就{reacted}
  一听说要{do}，{crew}们都{reacted}
  眼看{undone}，PEOPLE {anxious}
  虽说{weather}，PEOPLE还是{took}
  除了{do}，PEOPLE还{did}
  除了{do}，PEOPLE什么也没有做
  为了{finish}，PEOPLE {anxious}
  {finish}以后，PEOPLE在{place}{rested}

THING
  DEED，{comment}
  DEED，{comment}
  DEED，{setback}
  DEED，{crew}们{watched}
  DEED，{person}这才放下心来
  {state}，{crew}们{noticed}
  {state}，{person}{noticed}
  {state}；PEOPLE ACT

DEED
  {done}
  {done_already}
  {done_at_last}
  {done_at_last}

SUBJECT
  PEOPLE
  PEOPLE
  PEOPLE
  PEOPLE
  PEOPLE
  {person}和{person}
  {person}带着几个{crew}
  {person}跟{few}{crew}一起
  {person}领着{crew}们
  一个{origin}{person}
  {person}{mood}，
  {person}{mood}，
  {place}的{crew}们
  刚{take}的{person}
  平时{liked}{do}的{person}
  平时{liked}{do}的{crew}们
  正在{place}{resting}的{person}
  守夜的{person}
  不光{person}，连{crew}们也

PEOPLE
  {person}
  {person}
  {person}
  {crew}们
  {crew}们
  几个{crew}
  {some}{crew}
  {trait}{person}
  那个{trait}{person}

ACT
  {did}
  {did}
  {took}
  {took}
  {did_so}
  {did_so}
  {took_so}
  {took_so}
  {manner}{took}
  {manner}{did}
  先{take}，又{took}
  先{take}，再去{do}
  {took}，又{did}
  {did}，又在{place}{rested}
  {take}以后，又去{do}
  {began}{do}
  {began}{do}
  {meant}{do_so}
  {meant}{take}
  {meant}先{take}，再{do}
  {kept}{do}
  {kept}{do}，一直没有歇
  没费多少力气就{took}
  帮着{crew}们{do}
  帮着{person}{took}
  {asked}{crew}们{do}
  {asked}{person}{take}
  {asked}几个{crew}去{do}，自己去{do}
  看着{crew}们{do}
  在{place}{rested}
  在{place}{rested}，然后{took}
  在{place}发现了{item}
  把{item}{moved}{place}
  把{item}{moved}{place}，又去{do}
  没有再{do}，倒是{took}
  一边{do}，一边{humming}
  {did}，还顺手{took}
  终于{took}
  亲手{took}
  又{do}，又{do}

LINK
  ，
  ，
  ；
  ，后来
  ，接着
  ，与此同时，
  ；{when}，

FRONT
  {when}
  {when}
  {however}
  {however}
  {absolute}
  {day}，{absolute}
  {day}，{weather}
  {weather}
  {finish}以后
  {take}以后
  {crew}们{do}的时候
  {person}{do}的时候
  趁{crew}们在{place}{resting}
  {crew}们还在{do}

TAIL
  ，{comment}
  ，{effort}
  ，{effort}
  ，{setback}
  ，{setback}
  ，一直忙到{till}
  ，直到{till}才歇手
  ，这时{weather}
  ，{person}在一旁{watched}
  ，{crew}们{watched}
  ，惹得{crew}们{laughed}
  ，免得{person}{worry}
  ，{ending}
  ，正像{person}{foretold}的那样
  ，{person}早就料到了

DELAY
  因为{cause}，PEOPLE POSTPONED
  PEOPLE POSTPONED，因为{cause}
  {cause}，PEOPLE POSTPONED
  {cause}，{result}
  {cause}，结果{result}
  {day}，{result}，因为{cause}
  由于{cause}，{result}
  听说{cause}，PEOPLE POSTPONED
  PEOPLE本来打算{do}，不料{cause}
  PEOPLE本想{take}，可是{cause}，POSTPONED
  {trouble}，原来是{cause}
  {trouble}，{result}
  要不是{cause}，PEOPLE早就{took}
  后来才知道{cause}，难怪{trouble}
  {result}，都怪{cause}
  {however}，{result}
  {day}，{result}，谁也没有怨言
  FRONT，PEOPLE POSTPONED
  {result}，不过PEOPLE还是{took}
  尽管{cause}，PEOPLE还是{did}
  偏偏{cause}，{crew}们{do}的事就耽搁了
  一来{cause}，二来人手不够，PEOPLE POSTPONED
  PEOPLE POSTPONED，也没有说为什么

POSTPONED
  只好改天再{do}
  没能{finish}
  没来得及{do}
  迟迟没有{do}
  直到{later}才{finish}
  等到{later}才{take}
  不得不重新{do}
  比平时晚了半天才{finish}
  暂时顾不上{do}
  也就不急着{do}了

REPORT
  PEOPLE {said}，CONTENT
  PEOPLE {said}，CONTENT
  {when}，PEOPLE {said}，CONTENT
  PEOPLE {said}，CONTENT，而且CONTENT
  FRONT，PEOPLE {said}，CONTENT
  据{person}说，CONTENT
  照{person}的说法，CONTENT
  CONTENT，{person}是这么{thought}的
  CONTENT，至少{person}这么{thought}
  PEOPLE到处打听是谁{take}的
  没有人说得清是谁{take}的
  {place}，谁也不记得是谁{take}的
  {person}在日志里写道，CONTENT
  {person}给{person}捎了个口信，说CONTENT
  {person}悄悄告诉{crew}们，CONTENT
  问起为什么耽搁，{person}说是因为{cause}
  PEOPLE在{place}{resting}，说起要{do}
  到底由谁来{do}，{settled}
  让{crew}们{worried}的是，{cause}
  谁都看得出，CONTENT
  {person}一口咬定，CONTENT
  大家都以为{done_already}，其实还差得远
  {person}问{crew}们有没有{once}
  有人看见{person}在{place}{rested}
  {person}听{crew}们说，CONTENT

CONTENT
  {done_already}
  {done_already}
  {undone}
  {undone}
  {done_at_last}
  {cause}
  {state}
  {crew}们已经{took}
  {person}早就{took}
  还没有人去{do}
  现在就{do}还太早
  用不着急着{do}
  {do}{proved}
  应该先{take}
  明天还要{do}
  只有{person}会{do}
  {some}{crew}在{place}{rested}

SCENERY
  {place}{stood}{item}，{forgotten}
  {place}{stood}{item}，{forgotten}
  {place}{stood}{item}，旁边是{item}
  {when}，{place}还{stood}{item}
  {place}，不知谁留下了{item}和{item}
  有人把{item}落在了{place}，{forgotten}
  {place}除了{item}和{item}，什么也没有
  PEOPLE在{place}发现了{item}、{item}和{item}
  {weather}，{weather}
  {weather}，PEOPLE在{place}{rested}
  {weather}，SUBJECT ACT
  {day}，{weather}，PEOPLE在{place}{rested}
  {day}，{weather}，{crew}们在{place}{resting}
  {weather}，{place}只剩下{item}
  {state}，{state}
  {state}；{state}
  {state}，{crew}们{noticed}
  {state}，{place}的{crew}们{noticed}
  {person}对{crew}们说，{state}
  {place}，PEOPLE正在{resting}
  PEOPLE在{place}{resting}，{crew}们{kept}{do}
  {place}静悄悄的，只有{person}在{do}
  {absolute}，PEOPLE在{place}{rested}
  绕过{item}，就看见{person}正在{do}

SHORT
  {person}{manner}{took}
  {crew}们{manner}{did}
  {when}，{done}
  {when}，{undone}
  {person}在{place}{rested}
  {trait}{person}{took}
  {some}{crew}在{place}{rested}
  PEOPLE {meant}{take}
  PEOPLE {kept}{do}
  {when}，没有人{do}
  {do}{proved}
  {trouble}，因为{cause}
  {place}没有人{objected}
  {however}，{done}
  {when}，PEOPLE {did}
  {when}，PEOPLE {took}
  PEOPLE话不多，只顾{do}
  要{finish}并不容易
  {undone}，{crew}们就先走了
  这一天，{done_at_last}

SPECIAL
  PEOPLE花了{span}才{finish}
  {do}的活落到了{person}头上
  {do}的活落到了{person}头上，{crew}们则{kept}{do}
  {take}的是{person}，不是{person}
  {do}{proved}，{do}也一样
  直到{later}，PEOPLE才{finish}
  等{done}，PEOPLE才去{do}
  PEOPLE刚{finish}，{weather}
  {crew}们还没来得及{do}，{weather}
  {person}还从来没有{once}
  {weather}，每到这种时候，{person}总要{do}
  要是早点{take}，{would_have}
  要是{person}肯{do}，{would_have}
  {person}没有{once}，{person}也没有
  PEOPLE宁可{do}，也不愿意{do}
  PEOPLE没有{do}，而是{took}
  这些{crew}里，只有{oldest}会{do}
  这些{crew}里，只有{oldest}{once}
  跟多数{crew}一样，{person}{liked}{do}
  一连{long}，{crew}们什么也不干，只是{do}
  有的{crew}{did}，有的{did}，剩下的在{place}{rested}
  {do}容易，{do}就难了
  不是{person}{do}，就是{person}{do}
  {done}，{done}，只有{undone}
  {done_at_last}，可{undone}
  {person}是唯一愿意{do}的人
  PEOPLE {took}，{as_if}
  在{place}坐得越久，就越没有人想{do}
  PEOPLE又是{do}，又是{do}，{tired}
  与其{do}，不如先{take}，{person}这么{thought}
  {person}一边{do}，一边{humming}
  连{trait}{person}也来帮忙{do}
  无论{crew}们怎么劝，{person}就是不肯{do}
  除了{person}，谁也不会{do}
  {do}也好，{do}也好，{person}都{willing}
  不等{person}开口，{crew}们就{took}
  说好由{person}{do}，结果却是{crew}们{took}
  {person}嘴上说不想{do}，手上却{took}
  轮到{person}{do}，{crew}们{watched}
  这回多亏了{person}，{done_at_last}
"""

COMMON = """
when: 一大早 | 天刚亮 | 天黑以后 | 傍晚时分 | 晌午前后 | 半夜里 | 这天晚上 | 转天早上 | 吃过早饭 | 散工以前 | 收工以后 |
  日头偏西的时候 | 快到中午的时候 | 赶集那天 | 过了两天 | 没过几天 | 月底 | 月初 | 这个礼拜 | 后半夜 | 鸡叫以前 | 下午 |
  歇晌的时候 | 节后不久 | 有天夜里 | 有一天傍晚 | 点灯的时候 | 敲过晚钟 | 天快亮的时候 | 午饭以前 | 放假前一天 |
  隔了一夜 | 当天夜里 | 发工钱那天 | 晚饭过后 | 上工以前 | 有一回 | 前些日子 | 那阵子 | 忙完这一阵 | 隔了几天 |
  又过了一个礼拜 | 换班的时候 | 开饭前 | 快要收工的时候 | 客人走后 | 歇了一天以后 | 同一天 | 大家都散了以后 | 夜深以后 |
  一连忙了几天以后 | 打更以前 | 一个平常的早晨 | 一个清静的下午
later: 转天早上 | 天黑以后 | 吃过晚饭 | 后半夜 | 月底 | 太阳落山 | 掌灯时分 | 散集以后 | 隔天下午 | 半夜 |
  天快亮的时候 | 入冬前 | 过完节 | 换班的时候
manner: 不慌不忙地 | 一声不响地 | 仔仔细细地 | 手脚麻利地 | 慢吞吞地 | 兴冲冲地 | 勉勉强强地 | 按规矩 | 轻手轻脚地 |
  有条不紊地 | 一鼓作气地 | 照例 | 满头大汗地 | 耐着性子 | 小心翼翼地 | 熟练地 | 不情不愿地 | 抢着 | 硬是 | 赶着时间 |
  悄悄地 | 痛痛快快地
however: 说来也巧 | 说来也怪 | 好在 | 到头来 | 没过多久 | 不管怎么说 | 让人高兴的是 | 和往常一样 | 谁也没想到 |
  事有凑巧 | 果不其然 | 不出所料 | 无论如何 | 幸运的是 | 不早不晚 | 谢天谢地
trait: 年长的 | 年轻的 | 新来的 | 话不多的 | 性子急的 | 爱说笑的 | 胆小的 | 心细的 | 上了年纪的 | 瘦高的 | 沉默的 |
  戴草帽的 | 犯困的 | 大嗓门的 | 手巧的 | 脾气好的 | 怕冷的 | 倔强的
some: 两个 | 三个 | 几个 | 好几个 | 有几个 | 不少 | 多数
few: 两个 | 三个 | 几个 | 一群
oldest: 一两个 | 年纪最大的那个 | 最年轻的那个 | 新来的那个 | 个子最矮的那个
origin: 从外地来的 | 从山那边来的 | 路过的 | 穿旧棉袄的 | 感冒还没好的 | 干了半辈子的 | 刚歇完假的 | 口音很重的 |
  背着行李的 | 头发花白的
mood: 心情不错 | 没有睡够 | 又冷又饿 | 惦记着家里 | 怕误了饭点 | 等得不耐烦 | 赶了很远的路 | 难得清闲 | 刚吃过饭 |
  嘴里哼着小调 | 揉着眼睛 | 卷起袖子 | 放下烟袋 | 擦了擦汗 | 叹了口气 | 二话不说 | 摇了摇头 | 咳嗽了好一阵 | 闲不住 |
  喝了口水 | 看了看天 | 披上外衣
rested: 歇了一会儿 | 打了个盹 | 喝了碗热茶 | 啃了块干粮 | 站了好一会儿 | 等了很久 | 望着天出神 | 抽了袋烟 |
  听人讲了段旧事 | 吃了碗面 | 哼了一段小曲 | 烤了烤手 | 跟过路人搭了几句话 | 打听消息 | 睡着了 | 坐了半天 | 看了会儿热闹
resting: 歇着 | 打盹 | 喝茶 | 啃干粮 | 说闲话 | 等消息 | 抽烟 | 发呆 | 聊天 | 下棋 | 吃饭
humming: 哼着小曲 | 想着心事 | 听外面的动静 | 跟人说笑 | 盘算晚饭吃什么 | 打哈欠 | 念叨着天气 | 留意门外
began: 开始 | 忙着 | 急着 | 学着 | 抢着 | 不想 | 顾不上 | 懒得 | 动手 | 张罗着 | 着手 | 早早就去
meant: 打算 | 准备 | 答应 | 想 | 说好要 | 决定 | 商量着 | 愿意 | 盼着 | 急于
kept: 一直在 | 还在 | 正在 | 整天都在 | 仍旧在 | 埋头 | 继续 | 不停地
span: 一上午 | 大半天 | 两个晚上 | 整整一天 | 一个晚上 | 一个下午 | 半个时辰 | 好几天 | 一顿饭的工夫 | 一整夜
long: 两天 | 三天 | 好几天 | 几个晚上 | 一个礼拜 | 半个月
asked: 让 | 请 | 叫 | 催 | 劝 | 求 | 吩咐
moved: 留在了 | 放到了 | 搬到了 | 搁在了 | 挪到了
stood: 放着 | 搁着 | 摆着 | 留着
liked: 最爱 | 最怕 | 很少 | 抢着 | 从不肯 | 喜欢 | 懒得
said: 说 | 提到 | 听说 | 相信 | 承认 | 认为 | 告诉大家 | 坚持说 | 发现 | 抱怨说 | 解释说 | 笑着说 | 补充说 | 猜想 |
  低声说
thought: 说 | 想 | 讲 | 认为
foretold: 说 | 预料 | 担心 | 盼望 | 估计
worried: 发愁 | 意外 | 着急 | 为难 | 泄气
settled: 大家争了半天 | 一直没有定下来 | 吃早饭时才商量好 | 最后靠抽签决定 | 谁也不肯先开口 | 早就说好了
objected: 说话 | 反对 | 抱怨 | 抬头 | 肯走 | 觉得奇怪 | 出声 | 留意这件事
forgotten: 上面落了一层灰 | 也不知是谁的 | 已经放了一个夏天 | 盖着一块旧布 | 从来没有人来认领 | 一直没有人动过 |
  半掩在阴影里 | 看样子有些日子了 | 路过的人都绕着走
comment: 大家松了口气 | 谁也没有料到 | 省了不少工夫 | 比预想的费事 | 连过路人都停下来看 | 了却一桩心事 |
  这下谁都没话说了 | 倒也不算难 | 谁看了都说好 | 大家心里才踏实下来 | 没有惊动任何人 | 算是开了个好头 |
  比去年早了好几天 | 听到的人都很高兴 | 为这事大家忙了好久 | 倒比往年顺利 | 谁都觉得值得 | 一时成了大家的话题
setback: 可是没有人留意 | 可惜还是晚了一步 | 只是谁也没夸一句 | 可惜时间不够了 | 剩下的只好改天再说 | 不过大家并不满意 |
  然而谁也高兴不起来 | 可惜没有派上用场 | 偏偏这时来了客人 | 不过还差一点 | 倒把正事给误了 | 可谁也不领情
ending: 这件事就算过去了 | 一天也就过去了 | 四周又静了下来 | 日子照旧 | 谁也没有再提 | 大家各自散了
absolute: 门半开着 | 炉火烧得正旺 | 窗户关得严严实实 | 远处有狗在叫 | 谁也没有说话 | 四下里静悄悄的 | 壶里的水正开着 |
  外面有人在说话 | 隔壁传来笑声 | 空气里有股潮味 | 墙上的钟嘀嗒作响 | 院子里空荡荡的
trouble: 活计比预想的慢 | 一整天什么也没干成 | 大家都没精打采 | 大半天就这么耽误了 | 人人心里都不痛快 | 谁也提不起劲 |
  大家早早就收了工 | 进度慢了下来
proved: 比想象的难 | 要花大半天工夫 | 靠的是耐心 | 谁都不爱干 | 算不上轻松 | 急不得 | 少不了人手 | 马虎不得 |
  花不了多少力气 | 向来是苦差事 | 得有好眼力 | 最怕分心
as_if: 好像天塌下来也不要紧 | 仿佛什么事也没发生过 | 好像全镇的人都在看着 | 好像这是天底下最容易的事 | 仿佛不知道累
would_have: 大家也不至于白等 | 今天就不会这么忙 | 也就没有后来的麻烦 | 早就可以回家了 | 大家心里会踏实得多
tired: 一刻也没闲着 | 忙得团团转 | 累得倒头就睡 | 连坐下的工夫都没有 | 直到后半夜才合眼
willing: 不推辞 | 做得很仔细 | 乐意帮忙 | 嫌麻烦 | 不在行 | 会一点
watched: 看得出神 | 连连点头 | 一言不发 | 连声叫好 | 看了半天 | 凑近了看
laughed: 直笑 | 议论纷纷 | 摸不着头脑 | 都围过来看 | 连声抱怨
worry: 担心 | 唠叨 | 生气 | 再跑一趟 | 夜里睡不好
soon: 一大早 | 天刚亮 | 傍晚 | 晌午 | 半夜里 | 当天夜里 | 转天早上 | 天黑以后 | 这几天 | 昨天 | 前天 | 上个月 | 饭后 |
  今天 | 前些天 | 刚才 | 月初 | 夜里
day: 这一天 | 有一天 | 转天 | 隔天 | 赶集那天 | 发工钱那天 | 放假前一天 | 开工那天 | 散集那天 | 过节那天 | 收工那天 |
  月底那天
till: 很晚 | 筋疲力尽 | 人都走光了 | 眼睛都睁不开 | 换班 | 开饭 | 有人来催 | 再也没有活可干 | 腿都站麻了
effort: 累得腰都直不起来 | 弄得满手是灰 | 连饭也忘了吃 | 回来时谁都不想说话 | 忙得顾不上喝水 | 干得又快又稳 |
  从头到尾没歇过 | 还嫌不够快 | 手都磨红了 | 为的是早点回家 | 没有惊动任何人 | 做得比谁都细心 | 嘴里却没有一句怨言 |
  没有要别人插手 | 出了一身汗 | 谁劝也不肯停 | 算是出了一份力 | 心里才踏实下来
noticed: 看了直摇头 | 早就见怪不怪 | 没有放在心上 | 心里有数 | 一点办法也没有 | 装作没看见
reacted: 躲到了一边 | 卷起了袖子 | 皱起了眉头 | 来了精神 | 找借口走开了 | 连连摆手 | 不作声了
anxious: 急得直跺脚 | 倒不着急 | 只好加紧干 | 心里发慌 | 连觉也睡不好 | 四处找人帮忙 | 一刻也不敢歇
weather: 细雨 | 冷雨 | 小雨 > 下个不停 | 打湿了屋檐 | 飘了大半天 | 说停就停了 | 敲着瓦片
weather: 雾 | 薄雾 | 灰蒙蒙的雾气 > 久久不散 | 遮住了屋顶 | 从山谷里漫上来 | 压得很低
weather: 北风 | 东风 | 一阵冷风 > 吹得窗纸直响 | 忽然停了 | 越刮越紧 | 带着雪的气味 | 卷起了地上的落叶
weather: 雪 | 小雪 | 雨夹雪 > 盖住了台阶 | 落地就化了 | 下得又轻又密 | 封住了小路
weather: 天 > 放晴了一会儿 | 阴得像要塌下来 | 一点一点暗了 | 闷得透不过气
weather: 远处 > 响起了雷声 | 传来几声狗叫 | 亮起了闪电
weather: 寒气 | 潮气 > 从门缝里钻进来 | 到处都是 | 冻得人伸不出手
weather: 太阳 > 终于露了脸 | 把路面晒干了 | 晃得人睁不开眼 | 落到了山后
weather: 云 | 乌云 > 从南边聚拢过来 | 渐渐散开了 | 遮住了月亮
weather: 霜 > 染白了篱笆 | 盖满了屋瓦 | 在窗上结了花
"""
