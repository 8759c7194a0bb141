"""What was made of texts is kept by its size."""

from webapp.lru import LruCache, lru_cached


def test_what_was_made_lately_is_kept_up_to_its_size():
    made = []

    @lru_cached(20, len)
    def doubled(text: str) -> str:
        made.append(text)
        return text * 2

    assert [doubled(each) for each in ("ab", "cd", "ab", "ef")] == ["abab", "cdcd", "abab", "efef"]
    assert made == ["ab", "cd", "ef"]
    doubled("gh")  # with which the text that was asked for longest ago goes
    doubled("ab")
    doubled("cd")
    assert made == ["ab", "cd", "ef", "gh", "cd"]


def test_what_is_larger_than_all_room_is_made_and_not_kept():
    made = []

    @lru_cached(5, len)
    def same(text: str) -> str:
        made.append(text)
        return text

    assert same("longer") == same("longer") == "longer"
    assert same("a") == same("a") == "a"
    assert made == ["longer", "longer", "a"]


def test_a_value_takes_the_place_of_the_one_before_and_its_room():
    values = LruCache[str, str](10, lambda _, value: len(value))
    for value in ("four", "six..."):
        values.put("a", value)
    values.put("b", "four")
    assert (values.get("a"), values.get("b")) == ("six...", "four")
    values.put("a", "longer than all room")
    assert values.get("a") is None
