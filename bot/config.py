"""Typed settings from one YAML file and the environment. The only reader of the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from bot.config_sources import ConfigSources, variable
from bot.errors import ConfigError
from extractors import ExtractLimits

OPENAI_ADDRESS = "https://api.openai.com/v1"
LIMITS = tuple(field.name for field in fields(ExtractLimits))
WHOLE_LIMITS = frozenset(field.name for field in fields(ExtractLimits) if isinstance(field.default, int))


def _http_address(address: str) -> str:
    if address and not address.startswith(("http://", "https://")):
        raise ValueError("should begin with http:// or https://")
    return address.rstrip("/")


def _known_limit(name: str) -> str:
    if name not in LIMITS:
        raise ValueError("unknown limit")
    return name


def _whole_where_whole(limits: dict[str, float]) -> dict[str, float]:
    fractional = [name for name, value in limits.items() if name in WHOLE_LIMITS and not value.is_integer()]
    if fractional:
        raise ValueError(f"{', '.join(fractional)} should be a whole number")
    return {name: int(value) if name in WHOLE_LIMITS else value for name, value in limits.items()}


def _off_as_a_word(value: object) -> object:
    """YAML takes a bare `off` for false."""
    return "off" if value is False else value


HttpAddress = Annotated[str, AfterValidator(_http_address)]
LimitName = Annotated[str, AfterValidator(_known_limit)]
LimitOverrides = Annotated[
    dict[LimitName, Annotated[float, Field(ge=0, allow_inf_nan=False)]], AfterValidator(_whole_where_whole)
]


class Section(BaseModel):
    """A part of the configuration: unknown keys are errors, values don't change after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, hide_input_in_errors=True)


class FeishuSettings(Section):
    """The Feishu app the bot speaks as."""

    app_id: str = ""
    app_secret: SecretStr = SecretStr("")
    encrypt_key: SecretStr = SecretStr("")
    verification_token: SecretStr = SecretStr("")
    base_url: HttpAddress = "https://open.feishu.cn"
    timeout_s: float = Field(default=15.0, gt=0)


class WebhookSettings(Section):
    """The HTTP door for Feishu's events; the same server shows health and metrics."""

    enabled: bool = True
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    body_max_bytes: int = Field(default=1024 * 1024, gt=0)
    window_s: float = Field(default=300.0, gt=0)


class ModelSettings(Section):
    """The Chat Completions endpoint and what it can take. There is no default model."""

    base_url: HttpAddress = ""
    api_key: SecretStr = SecretStr("")
    name: str = ""
    context_tokens: int = Field(default=32_000, ge=2_000)
    max_output_tokens: int = Field(default=4_000, ge=100)
    output_limit_parameter: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: float | None = Field(default=None, ge=0, le=2)
    images: bool = True
    max_images: int = Field(default=20, ge=0)
    max_body_bytes: int = Field(default=20 * 1024 * 1024, gt=0)
    concurrency: int = Field(default=4, ge=1)
    first_token_timeout_s: float = Field(default=60.0, gt=0)
    idle_timeout_s: float = Field(default=45.0, gt=0)


class FilesSettings(Section):
    """How attachments are fetched and read."""

    max_bytes: int = Field(default=16 * 1024 * 1024, gt=0)
    timeout_s: float = Field(default=20.0, gt=0)
    concurrency: int = Field(default=2, ge=1)
    max_per_question: int = Field(default=20, ge=1)
    ocr: Annotated[Literal["off", "when_needed", "always"], BeforeValidator(_off_as_a_word)] = "off"
    #: Overrides of extractors.ExtractLimits by name; whole numbers where it has whole numbers.
    limits: LimitOverrides = Field(default_factory=dict)

    def extract_limits(self) -> ExtractLimits:
        """The extractor's limits with the overrides in."""
        return ExtractLimits(**self.limits)  # type: ignore[arg-type] # each value has its field's type after validation


class SandboxSettings(Section):
    """The sandbox that files are read in."""

    require: Literal["full", "seccomp", "landlock", "limits"] = "seccomp"


class PromptsSettings(Section):
    """Where the templates are, and how often they are looked at."""

    directory: Path = Path("prompts")
    reload_s: float = Field(default=1.0, gt=0)


class ReplySettings(Section):
    """How answers appear in the chat."""

    language: Literal["auto", "zh", "en"] = "auto"
    thread_in_groups: bool = True
    thread_in_private: bool = False
    updates_per_second: float = Field(default=8.0, gt=0, le=10)
    max_tables: int = Field(default=3, ge=0, le=5)
    typing_reaction: bool = True


class EngineSettings(Section):
    """The durable engine: how many conversations run side by side, and how often it polls and tries."""

    concurrency: int = Field(default=8, ge=1)
    poll_s: float = Field(default=0.1, gt=0)
    attempts: int = Field(default=5, ge=1)


class LogSettings(Section):
    """Structured logs on standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["json", "console"] = "json"


class Settings(Section):
    """The whole configuration."""

    data_dir: Path = Path("data")
    shutdown_grace_s: float = Field(default=20.0, ge=0)
    feishu: FeishuSettings = FeishuSettings()
    webhook: WebhookSettings = WebhookSettings()
    model: ModelSettings = ModelSettings()
    files: FilesSettings = FilesSettings()
    sandbox: SandboxSettings = SandboxSettings()
    prompts: PromptsSettings = PromptsSettings()
    reply: ReplySettings = ReplySettings()
    engine: EngineSettings = EngineSettings()
    log: LogSettings = LogSettings()

    def ocr(self) -> str:
        """What the extractor is to recognise words in; `when_needed` is scans, for a model that cannot look at them."""
        if self.files.ocr == "when_needed":
            return "off" if self.model.images else "scans"
        return self.files.ocr

    def secrets(self) -> frozenset[str]:
        """Every secret that is set, for the logs to leave out."""
        values = (
            value for section in vars(self).values() if isinstance(section, Section) for value in vars(section).values()
        )
        return frozenset(value.get_secret_value() for value in values if isinstance(value, SecretStr)) - {""}


def load(path: Path | None, environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from the file (None for no file) and, above it, from the environment; ConfigError lists every mistake.

    `DUWEN__SECTION__KEY=value` sets a key, `DUWEN__SECTION__KEY_FILE=/path` takes the value from a file. An empty
    variable counts as not set.
    """
    sources = ConfigSources(known_keys())
    if path is not None:
        sources.add_file(path)
    sources.add_environment(_environment() if environment is None else environment)
    problems = sources.problems
    try:
        settings = Settings.model_validate(sources.values)
    except ValidationError as error:
        problems += map(sources.describe, error.errors(include_url=False, include_input=False))
    if problems:
        raise _refusal(problems)
    return settings


def check_for_run(settings: Settings) -> None:
    """Refuses to start without what the service cannot do without: one ConfigError that names every missing key."""
    feishu, model = settings.feishu, settings.model
    needed = {
        "feishu.app_id": feishu.app_id,
        "feishu.app_secret": feishu.app_secret.get_secret_value(),
        "model.base_url": model.base_url,
        "model.api_key": model.api_key.get_secret_value(),
        "model.name": model.name,
    }
    if settings.webhook.enabled:
        # Without these two, anybody who finds the address could speak in the name of any user.
        needed["feishu.encrypt_key"] = feishu.encrypt_key.get_secret_value()
        needed["feishu.verification_token"] = feishu.verification_token.get_secret_value()
    missing = [f"{key} is not set ({variable(tuple(key.split('.')))})" for key, value in needed.items() if not value]
    if missing:
        raise _refusal(missing)


def or_packaged(directory: Path) -> Path:
    """The operator's templates; those that come with the program where the default directory does not exist."""
    is_missing = directory == PromptsSettings().directory and not directory.is_dir()
    return Path(__file__).resolve().parent.parent / "prompts" if is_missing else directory


def demo_model(environment: Mapping[str, str] | None = None) -> ModelSettings | None:
    """The real endpoint of the demo from OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL; None for the stand-in.

    A key alone does not do: nobody's files leave the machine before a model was named on purpose.
    """
    environment = _environment() if environment is None else environment
    name, key, address = (environment.get(f"OPENAI_{word}", "") for word in ("MODEL", "API_KEY", "BASE_URL"))
    if not name or not (key or address):
        return None
    try:
        return ModelSettings(name=name, api_key=SecretStr(key or "none"), base_url=address or OPENAI_ADDRESS)
    except ValidationError:
        raise ConfigError("OPENAI_BASE_URL should begin with http:// or https://") from None


def known_keys(section: type[Section] = Settings, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every key that holds a value, in the order of the file."""
    for name, field in section.model_fields.items():
        path = (*above, name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from known_keys(field.annotation, path)
        elif path == ("files", "limits"):
            yield from ((*path, limit) for limit in LIMITS)
        else:
            yield path


def _refusal(problems: list[str]) -> ConfigError:
    if len(problems) == 1:
        return ConfigError(problems[0])
    return ConfigError("\n  ".join([f"{len(problems)} problems in the configuration", *problems]))


def _environment() -> Mapping[str, str]:
    return os.environ  # noqa: TID251 - the one module that may read it
