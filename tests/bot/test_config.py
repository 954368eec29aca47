from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.config import Settings, check_for_run, demo_model, load
from bot.errors import ConfigError
from extractors import ExtractLimits

READY = {
    "DUWEN__FEISHU__APP_ID": "cli_a",
    "DUWEN__FEISHU__APP_SECRET": "hidden-app-secret",
    "DUWEN__FEISHU__ENCRYPT_KEY": "hidden-encrypt-key",
    "DUWEN__FEISHU__VERIFICATION_TOKEN": "hidden-token",
    "DUWEN__MODEL__BASE_URL": "https://model.example/v1/",
    "DUWEN__MODEL__API_KEY": "hidden-api-key",
    "DUWEN__MODEL__NAME": "some-model",
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def problems(path: Path | None, environment: dict[str, str] | None = None) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(path, environment or {})
    first, *rest = str(caught.value).replace(f"{path}:", "config.yaml:").splitlines()
    if not rest:
        return [first]
    assert first == f"{len(rest)} problems in the configuration"
    return [line.removeprefix("  ") for line in rest]


def mistake(path: Path | None, environment: dict[str, str]) -> str:
    try:
        load(path, environment)
    except ConfigError as error:
        return str(error)
    return ""


def test_nothing_given_means_the_defaults() -> None:
    assert load(None, {}) == Settings()


def test_the_environment_wins_over_the_file(config: Path) -> None:
    config.write_text("data_dir: /srv/a\nwebhook:\n  port: 9000\n  host: 0.0.0.0\n")
    settings = load(config, {"DUWEN__DATA_DIR": "/srv/b", "DUWEN__WEBHOOK__PORT": "0", "OTHER": "x"})
    assert (settings.data_dir, settings.webhook.port, settings.webhook.host) == (Path("/srv/b"), 0, "0.0.0.0")


@pytest.mark.parametrize(("text", "value"), [("true", True), ("0", False), ("off", False)])
def test_switches_can_be_set_from_the_environment(text: str, value: bool) -> None:
    assert load(None, {"DUWEN__MODEL__IMAGES": text}).model.images is value


@pytest.mark.parametrize(
    ("asked", "takes_images", "ocr"),
    [
        ("off", False, "off"),
        ("when_needed", True, "off"),
        ("when_needed", False, "scans"),
        ("always", True, "always"),
    ],
)
def test_words_in_scans_are_needed_by_a_model_that_cannot_see(
    config: Path, asked: str, takes_images: bool, ocr: str
) -> None:
    config.write_text(f"files:\n  ocr: {asked}\nmodel:\n  images: {takes_images}\n")
    assert load(config, {}).ocr() == ocr
    assert load(None, {"DUWEN__FILES__OCR": asked, "DUWEN__MODEL__IMAGES": str(takes_images)}).ocr() == ocr


def test_an_empty_variable_counts_as_not_set() -> None:
    assert load(None, {"DUWEN__WEBHOOK__PORT": "", "DUWEN__NOTHING": ""}) == Settings()


def test_a_secret_can_come_from_a_file_and_loses_its_last_line_break_only(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(" two words \r\n", newline="")
    settings = load(None, {"DUWEN__FEISHU__APP_SECRET_FILE": str(tmp_path / "secret")})
    assert settings.feishu.app_secret.get_secret_value() == " two words "


def test_a_section_with_all_its_keys_commented_out_means_the_defaults(config: Path) -> None:
    config.write_text("feishu:\n  # app_id: x\nfiles:\n  limits:\n    # pdf_render_zoom: 1\n")
    assert load(config, {}) == Settings()


def test_an_empty_file_means_the_defaults(config: Path) -> None:
    config.write_text("# nothing yet\n")
    assert load(config, {}) == Settings()


def test_limits_are_overridden_by_name_and_keep_their_types(config: Path) -> None:
    config.write_text("files:\n  limits:\n    pdf_extract_max_pages: 80\n")
    settings = load(config, {"DUWEN__FILES__LIMITS__PDF_RENDER_ZOOM": "2"})
    limits = settings.files.extract_limits()
    assert limits == ExtractLimits(pdf_extract_max_pages=80, pdf_render_zoom=2.0)
    assert type(limits.pdf_extract_max_pages) is int


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("feishu:\n  app_idd: x\n", "config.yaml:2: feishu.app_idd: unknown key; did you mean feishu.app_id?"),
        ("api_key: x\n", "config.yaml:1: api_key: unknown key; did you mean model.api_key?"),
        ("fieshu:\n  app_id: x\n", "config.yaml:1: fieshu: unknown key; did you mean feishu?"),
        ("zzz: 1\n", "config.yaml:1: zzz: unknown key"),
        ("\nwebhook:\n  port: 70000\n", "config.yaml:3: webhook.port: should be less than or equal to 65535"),
        ("log: {format: xml}\n", "config.yaml:1: log.format: should be 'json' or 'console'"),
        ("log: loud\n", "config.yaml:1: log: should be a section with keys of its own"),
        (
            "feishu:\n  verification_token: 123\n",
            "config.yaml:2: feishu.verification_token: should be text; put it in quotes",
        ),
        ("model:\n  base_url: api.example\n", "config.yaml:2: model.base_url: should begin with http:// or https://"),
        ("- a\n", "config.yaml:1: the file must be a mapping of keys to values"),
        ("just words\n", "config.yaml:1: the file must be a mapping of keys to values"),
        ("? [a]\n: b\n", "config.yaml:1: a key must be one word"),
        ("log:\n  level: info\n  level: debug\n", "config.yaml:3: log.level: given twice, first in line 2"),
        ("log: {}\nreply: {}\nlog: {}\n", "config.yaml:3: log: given twice, first in line 1"),
        ("data_dir: 2024-13-01\n", "config.yaml:1: data_dir: needs quotes"),
        (
            "files:\n  limits:\n    pdf_max_pages: 3\n",
            "config.yaml:3: files.limits.pdf_max_pages: unknown key; did you mean files.limits.pdf_render_max_pages?",
        ),
        (
            "files:\n  limits:\n    docx_max_table: 3\n",
            "config.yaml:3: files.limits.docx_max_table: unknown key; did you mean files.limits.docx_max_tables?",
        ),
        (
            "files:\n  limits:\n    docx_max_tables: 1.5\n",
            "config.yaml:2: files.limits: docx_max_tables should be a whole number",
        ),
        (
            "files:\n  limits:\n    docx_max_tables: -1\n",
            "config.yaml:3: files.limits.docx_max_tables: should be greater than or equal to 0",
        ),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_line_and_key(config: Path, text: str, expected: str) -> None:
    config.write_text(text)
    assert problems(config) == [expected]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("DUWEN__MODEL__NAM", "unknown key; did you mean DUWEN__MODEL__NAME?"),
        ("DUWEN__WEBHOOK__PORT", "should be a valid integer, unable to parse string as an integer"),
        ("DUWEN__FEISHU", "is a section; set its keys, such as DUWEN__FEISHU__APP_ID"),
        ("DUWEN__DATA_DIR__", "unknown key; did you mean DUWEN__DATA_DIR?"),
        ("DUWEN__FILES__LIMITS__PDF_RENDER_ZOM", "unknown key; did you mean DUWEN__FILES__LIMITS__PDF_RENDER_ZOOM?"),
        ("DUWEN__FEISHU__APP_SECRET_FILE", "the file it names cannot be read: No such file or directory"),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(name: str, expected: str) -> None:
    assert problems(None, {name: "a-hidden-value"}) == [f"{name}: {expected}"]


def test_one_key_set_by_two_variables_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("a")
    environment = {"DUWEN__MODEL__API_KEY": "b", "DUWEN__MODEL__API_KEY_FILE": str(tmp_path / "key")}
    assert problems(None, environment) == ["DUWEN__MODEL__API_KEY_FILE: DUWEN__MODEL__API_KEY sets the same key"]


def test_all_mistakes_are_told_at_once(config: Path) -> None:
    config.write_text("log:\n  level: loud\nwebhok: {}\nreply:\n  max_tables: 9\n  max_tables: 8\n")
    told = problems(config, {"DUWEN__ENGINE__POLL": "1"})
    assert sorted(line.split(": ")[0] for line in told) == [
        "DUWEN__ENGINE__POLL",
        "config.yaml:2",
        "config.yaml:3",
        "config.yaml:5",
        "config.yaml:6",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "feishu:\n  app_secret: *hidden-value\n",
        "feishu:\n  app_secret: !hidden-value x\n",
        "feishu:\n  app_secret: !hidden!value x\n",
        "feishu:\n  app_secret: 'hidden-value\n",
        'feishu:\n  app_secret: "\\hidden-value"\n',
        "feishu:\n  app_secret: hidden-value: more\n",
        "feishu:\n  app_secret: [hidden-value]\n",
        "feishu:\n  app_secret: {hidden: value}\n",
        "feishu: hidden-value\n",
        "feishu:\n  app_secret: %hidden-value\n",
        "feishu:\n  app_secret: \x00hidden-value\n",
        "webhook:\n  port: hidden-value\n",
        "log:\n  level: hidden-value\n",
        "model:\n  base_url: hidden-value\n",
    ],
)
def test_no_message_repeats_a_value(config: Path, text: str) -> None:
    config.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(config, {})
    assert "hidden-value" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_secret_put_where_a_path_belongs_is_not_repeated() -> None:
    assert "hidden" not in "".join(problems(None, {"DUWEN__MODEL__API_KEY_FILE": "hidden-" * 100}))


@pytest.mark.parametrize("kind", ["missing", "folder", "not text"])
def test_a_file_named_on_purpose_must_be_readable(config: Path, kind: str) -> None:
    if kind == "folder":
        config.mkdir()
    elif kind == "not text":
        config.write_bytes(b"\xff\xfe\x00")
    assert problems(config)[0].startswith("config.yaml: cannot be read: ")


def test_a_byte_order_mark_does_no_harm(config: Path) -> None:
    config.write_bytes("\ufefflog:\n  level: debug\n".encode())
    assert load(config, {}).log.level == "debug"


def test_ready_settings_are_let_through() -> None:
    settings = load(None, READY)
    check_for_run(settings)
    assert settings.model.base_url == "https://model.example/v1"


@pytest.mark.parametrize("name", sorted(READY))
def test_the_service_does_not_start_without(name: str) -> None:
    settings = load(None, {key: value for key, value in READY.items() if key != name})
    with pytest.raises(ConfigError) as caught:
        check_for_run(settings)
    key = ".".join(name.removeprefix("DUWEN__").lower().split("__"))
    assert str(caught.value) == f"{key} is not set ({name})"


def test_everything_the_service_lacks_is_told_in_one_message() -> None:
    with pytest.raises(ConfigError) as caught:
        check_for_run(Settings())
    told = str(caught.value)
    assert all(name in told for name in READY)
    assert told.startswith(f"{len(READY)} problems")


def test_a_closed_webhook_needs_no_key_for_its_events() -> None:
    environment = {key: value for key, value in READY.items() if not key.endswith(("ENCRYPT_KEY", "TOKEN"))}
    check_for_run(load(None, environment | {"DUWEN__WEBHOOK__ENABLED": "false"}))


def test_secrets_are_collected_for_the_logs_and_hidden_in_print() -> None:
    settings = load(None, READY)
    assert settings.secrets() == {value for value in READY.values() if value.startswith("hidden")}
    assert "hidden" not in repr(settings) + str(settings) + settings.model_dump_json()


@pytest.mark.parametrize(
    "environment", [{}, {"OPENAI_API_KEY": "k"}, {"OPENAI_MODEL": "m"}, {"OPENAI_BASE_URL": "http://x"}]
)
def test_the_demo_takes_its_stand_in_unless_a_model_was_named_on_purpose(environment: dict[str, str]) -> None:
    assert demo_model(environment) is None


def test_the_demo_takes_the_real_endpoint_when_it_is_told_all_of_it() -> None:
    model = demo_model({"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m"})
    assert model is not None
    assert (model.name, model.api_key.get_secret_value()) == ("m", "k")
    local = demo_model({"OPENAI_MODEL": "m", "OPENAI_BASE_URL": "http://localhost:1/v1/"})
    assert local is not None
    assert (local.base_url, bool(local.api_key.get_secret_value())) == ("http://localhost:1/v1", True)


def test_a_wrong_address_for_the_demo_is_told() -> None:
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL"):
        demo_model({"OPENAI_MODEL": "m", "OPENAI_BASE_URL": "localhost"})


def test_the_environment_of_the_process_is_read_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUWEN__LOG__LEVEL", "debug")
    assert load(None).log.level == "debug"


YAMLISH = st.text(alphabet="feishu app_id model name:[]{}-*&!?|>'\"%@#,\n\t 01.~<\u4e2d\x00\u2028", max_size=80)
SUPPRESS = [HealthCheck.function_scoped_fixture]


@settings(max_examples=300, deadline=None, suppress_health_check=SUPPRESS)
@given(text=YAMLISH)
def test_whatever_the_file_says_the_outcome_is_settings_or_a_named_mistake(config: Path, text: str) -> None:
    config.write_text(text, encoding="utf-8")
    told = mistake(config, {})
    assert not told or str(config) in told


@settings(max_examples=200, deadline=None)
@given(rest=st.text(alphabet="FEISHU_APPIDMODELS_FILE9 \u4e2d", max_size=30), value=st.text(max_size=20))
def test_whatever_the_environment_says_the_outcome_is_settings_or_a_named_mistake(rest: str, value: str) -> None:
    told = mistake(None, {f"DUWEN__{rest}": value})
    assert not told or told.startswith(f"DUWEN__{rest}: ")
