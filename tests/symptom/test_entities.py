import pytest

from mem_assets.symptom.entities import exception_name, is_number, read_entity


@pytest.mark.parametrize(
    ("token", "names"),
    [
        ("dependency", None),
        ("x509", None),
        ("react@18.2.0", ("react", "18.2.0")),
        ("@acme/ui", ("@acme/ui",)),
        ("actions/checkout@v4", ("actions/checkout",)),
        ("v1.2.3-rc1", ("1.2.3-rc1",)),
        ("/home/dev/app/main.go", ("main.go",)),
        ("main.go:12:5", ("main.go",)),
        ("c:\\work\\app.csproj", ("app.csproj",)),
        ("github.com/acme/tool", ("github.com/acme/tool",)),
        ("https://registry.example/x", ()),
        ("0x7ffdeadbeef", ()),
        ("9f86d081884c7d65", ()),
        ("12:04:55", ()),
        ("2026-11-24t10:00:00z", ()),
        ("512mb", ()),
        ("max_user_watches", ("max_user_watches",)),
    ],
)
def test_read_entity(token: str, names: tuple[str, ...] | None) -> None:
    assert read_entity(token) == names


@pytest.mark.parametrize(
    ("token", "name"),
    [
        ("java.lang.nullpointerexception", "nullpointerexception"),
        ("modulenotfounderror", "modulenotfounderror"),
        ("error", None),
        ("exception", None),
        ("widget", None),
    ],
)
def test_exception_name(token: str, name: str | None) -> None:
    assert exception_name(token) == name


@pytest.mark.parametrize(("token", "number"), [("1234", True), ("42", False), ("123456", False)])
def test_is_number(token: str, number: bool) -> None:
    assert is_number(token) is number
