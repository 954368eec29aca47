"""Refusals in the words of real providers, and what they are taken for."""

from __future__ import annotations

import pytest

from bot.llm.classify import MAX_DETAIL_CHARS, context_ratio, image_limit, refusal, refused_parameter


@pytest.mark.parametrize(
    ("status", "text", "code", "retryable"),
    [
        (400, "Failed to deserialize: unknown variant `image_url`, expected `text`", "model_image_unsupported", False),
        (400, '{"object":"error","message":"x is not a multimodal model"}', "model_image_unsupported", False),
        (500, 'Unsupported content part type: "image_url"', "model_image_unsupported", False),
        (400, "At most 0 image(s) may be provided in one request.", "model_image_unsupported", False),
        (400, "At most 5 image(s) may be provided in one request.", "model_too_many_images", False),
        (400, "Exceeded maximum number of images (50)", "model_too_many_images", False),
        (400, "code 1210 图片输入格式/解析错误", "model_image_bad", False),
        (400, "Exceeded limit on max bytes per data-uri item : 10485760", "model_image_bad", False),
        (400, "Image exceeds the maximum allowed total pixels", "model_image_bad", False),
        (400, '{"error":{"code":"context_length_exceeded"}}', "model_context", False),
        (400, "Range of input length should be [1, 30720]", "model_context", False),
        (400, "Your request exceeded model token limit: 8192", "model_context", False),
        (413, "<html>413 Request Entity Too Large</html>", "model_body", False),
        (400, '{"error":{"code":"content_filter","innererror":{}}}', "model_filtered", False),
        (400, "data_inspection_failed", "model_filtered", False),
        (None, "OutputTextRiskDetection", "model_filtered", False),
        (429, '{"error":{"code":"insufficient_quota"}}', "model_quota", False),
        (402, "Insufficient Balance", "model_quota", False),
        (403, '{"error":{"code":"AccountOverdueError"}}', "model_quota", False),
        (429, "slow down", "model_rate", True),
        (400, "Throttling.RateQuota", "model_rate", True),
        (401, "no", "model_auth", False),
        (404, '{"error":{"code":"InvalidEndpointOrModel.NotFound"}}', "model_not_found", False),
        (400, "Unknown parameter: 'stream_options'.", "model_param", False),
        (422, "", "model_param", False),
        (503, "", "model_unavailable", True),
        (None, "anything", "model_unavailable", True),
        (302, "", "model_unavailable", False),
    ],
)
def test_a_refusal_has_one_meaning(status, text, code, retryable):
    error = refusal(status, text)
    assert (error.code, error.retryable) == (code, retryable)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("At most 5 image(s) may be provided", 5),
        ("Exceeded maximum number of images (50)", 50),
        ("image count 12 exceeds the limit of 10", 10),
        ("too many images", 0),
    ],
)
def test_the_number_of_images_is_read_from_the_refusal(text, limit):
    assert image_limit(refusal(400, text)) == limit


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("maximum context length is 8192 tokens. However, you requested 16384 tokens (12000 + 4384)", 0.45),
        ("prompt is too long: 210000 tokens > 200000 maximum", 200 / 210 * 0.9),
        ("Range of input length should be [1, 30720]", 0.6),
        ("context_length_exceeded", 0.6),
    ],
)
def test_the_part_of_the_context_that_fits_is_read_from_the_refusal(text, ratio):
    assert context_ratio(refusal(400, text)) == pytest.approx(ratio)


def test_the_refused_parameter_is_named():
    text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    assert refused_parameter(refusal(400, text)) in {"max_tokens", "max_completion_tokens"}
    assert refused_parameter(refusal(400, "Unknown parameter: 'foo'")) is None


def test_a_refusal_that_echoes_the_request_is_cut():
    assert len(refusal(400, "x" * 100_000).detail) < MAX_DETAIL_CHARS + 50
