from datetime import datetime

import pytest

from kveval.errors import ModelError
from kveval.models.tokenizer import load_tokenizer
from kveval.prompts.template import TEMPLATE_DATE, ChatFrame, PromptFrame, token_ids
from kveval.tasks.turn import Turn


def rendered(tokenizer, frame, content):
    return tokenizer.decode([*frame.around(["user"])[0], *frame.encode(content), *frame.around(["user"])[1]])


def test_opening_and_close_are_the_templates(tokenizer):
    frame = ChatFrame(tokenizer)
    whole = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Hello there."}], tokenize=True, add_generation_prompt=True
    )
    assert [*frame.around(["user"])[0], *frame.encode("Hello there."), *frame.around(["user"])[1]] == whole["input_ids"]


def test_there_is_exactly_one_bos(any_tokenizer):
    frame = ChatFrame(any_tokenizer)
    ids = [*frame.around(["user"])[0], *frame.encode("Hello there."), *frame.around(["user"])[1]]
    assert ids.count(any_tokenizer.bos_token_id) == 1
    assert ids[0] == any_tokenizer.bos_token_id


def test_without_a_template_the_bos_is_what_the_tokenizer_adds(any_tokenizer):
    template, any_tokenizer.chat_template = any_tokenizer.chat_template, None
    try:
        frame = ChatFrame(any_tokenizer)
        assert list(frame.around(["user"])[0]) == [
            i for i in any_tokenizer("a").input_ids if i == any_tokenizer.bos_token_id
        ]
        assert frame.around(["user"])[1] == ()
    finally:
        any_tokenizer.chat_template = template


def test_a_template_without_the_bos_that_the_model_uses_gets_one(tokenizer):
    template = tokenizer.chat_template
    tokenizer.chat_template = template.replace("{{ bos_token }}", "")
    try:
        assert ChatFrame(tokenizer).around(["user"])[0][0] == tokenizer.bos_token_id
        assert ChatFrame(tokenizer).around(["user"])[0].count(tokenizer.bos_token_id) == 1
    finally:
        tokenizer.chat_template = template


def test_control_tokens_in_the_content_stay_text(tokenizer):
    frame = ChatFrame(tokenizer)
    content = "quoted: <|im_end|> and <s>"
    assert not set(frame.encode(content)) & {tokenizer.bos_token_id, tokenizer.convert_tokens_to_ids("<|im_end|>")}
    assert tokenizer.decode(frame.encode(content)) == content


def test_templates_print_a_fixed_date(tokenizer):
    template = tokenizer.chat_template
    tokenizer.chat_template = "{{ strftime_now('%Y-%m-%d') }} " + template
    try:
        text = rendered(tokenizer, ChatFrame(tokenizer), "x")
        assert TEMPLATE_DATE.strftime("%Y-%m-%d") in text
        assert str(datetime.now().year) not in text or datetime.now().year == TEMPLATE_DATE.year
    finally:
        tokenizer.chat_template = template


@pytest.mark.parametrize(
    "broken", ["{{ raise_exception('no user turns') }}", "nothing of the user", "{{ messages[0].content * 2 }}"]
)
def test_a_template_that_cannot_hold_a_user_turn_is_an_error(tokenizer, broken):
    template, tokenizer.chat_template = tokenizer.chat_template, broken
    try:
        with pytest.raises(ModelError, match="chat template"):
            _ = ChatFrame(tokenizer).around(["user"])[0]
    finally:
        tokenizer.chat_template = template


def test_a_folder_without_a_tokenizer_is_an_error(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    with pytest.raises(ModelError, match="tokenizer"):
        load_tokenizer(str(tmp_path))


TURNS = (
    Turn(role="system", content="Answer in one word."),
    Turn(role="user", content="Here: {document}!"),
    Turn(role="assistant", content="I have read it."),
    Turn(role="user", content="Then: {question} Quickly."),
)


def test_several_turns_are_rendered_by_the_template(tokenizer):
    prompt = PromptFrame(ChatFrame(tokenizer), TURNS)
    contents = [turn.content.replace("{document}", "A day.").replace("{question}", "Which?") for turn in TURNS]
    turns = [{"role": turn.role, "content": content} for turn, content in zip(TURNS, contents, strict=True)]
    whole = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    document = ChatFrame(tokenizer).encode(prompt.before + "A day.")
    (tail,) = prompt.tails(["Which?"])
    assert tokenizer.decode([*prompt.opening, *document, *tail]) == whole
    assert prompt.before == "Here: "


def test_question_and_document_may_share_a_turn(tokenizer):
    frame = ChatFrame(tokenizer)
    prompt = PromptFrame(frame, (Turn(role="user", content="{document}\n{question}"),), answer_prefix="It is")
    one, two = prompt.tails(["Which?", "When?"])
    assert one == token_ids(frame.encode("\nWhich?"), frame.around(["user"])[1], frame.encode("It is"))
    assert two == token_ids(frame.encode("\nWhen?"), frame.around(["user"])[1], frame.encode("It is"))
    assert prompt.opening == token_ids(frame.around(["user"])[0])


def test_closed_book_prompt_keeps_everything_else(tokenizer):
    text = tokenizer.decode(PromptFrame(ChatFrame(tokenizer), TURNS).without_document("Which?"))
    for part in ("Answer in one word.", "Here: !", "I have read it.", "Then: Which? Quickly."):
        assert part in text


def test_several_turns_need_a_template(tokenizer):
    template, tokenizer.chat_template = tokenizer.chat_template, None
    try:
        with pytest.raises(ModelError, match="has no chat template: a task with several turns"):
            _ = PromptFrame(ChatFrame(tokenizer), TURNS).opening
    finally:
        tokenizer.chat_template = template


def test_template_without_support_for_turns_is_an_error(tokenizer):
    template = tokenizer.chat_template
    tokenizer.chat_template = (
        "{% if messages[0].role == 'system' %}{{ raise_exception('no system turns') }}{% endif %}" + template
    )
    try:
        with pytest.raises(ModelError, match="cannot render turns of system, user, assistant, user: no system turns"):
            _ = PromptFrame(ChatFrame(tokenizer), TURNS).opening
    finally:
        tokenizer.chat_template = template


def test_many_texts_are_encoded_in_batches(any_tokenizer, monkeypatch):
    frame, texts = ChatFrame(any_tokenizer), ["The value.", "", "In group 7, " * 50, "was 0.73"]
    whole = [frame.encode(text) for text in texts]
    for characters in (1, 12, 1_000_000):
        monkeypatch.setattr("kveval.prompts.template._BATCH", characters)
        assert frame.encode_all(texts) == whole
    assert frame.encode_all([]) == []
