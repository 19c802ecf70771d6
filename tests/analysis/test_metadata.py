from tests.analysis.scores import cells_of, score


def by_party(arm, right):
    parties = ("north", "south")
    return [score(arm, i, right(i), metadata={"party": parties[i % 2]}) for i in range(40)]


def test_losses_are_counted_by_the_values_of_each_field():
    cell = cells_of(by_party("auto", lambda _: True) + by_party("fp8", lambda i: i % 4 != 1))["fp8"]
    north, south = cell.breakdowns
    assert (north.field, north.value, north.n, north.lost) == ("party", "north", 20, 0)
    assert (south.field, south.value, south.n, south.lost) == ("party", "south", 20, 10)


def test_rows_without_fields_have_no_breakdown():
    assert cells_of([score(arm, i) for arm in ("auto", "fp8") for i in range(8)])["fp8"].breakdowns == ()
