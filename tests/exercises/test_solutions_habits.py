"""Our solutions teach no bad habit that a right number would hide."""

import copy
import re

import numpy as np
import pytest

from attention_course.exercises import all_exercises
from attention_course.exercises.examine import compare, public_calls, right_outcome
from attention_course.exercises.runner import Result, load

EXERCISES = all_exercises()
NUMPY = [name for name, one in EXERCISES.items() if one.uses == "numpy"]
TORCH = [name for name, one in EXERCISES.items() if one.uses == "torch"]


def arrays_in(given):
    """Yield the arrays among arguments or results, however deep."""
    if isinstance(given, np.ndarray):
        yield given
    elif isinstance(given, dict):
        yield from arrays_in(list(given.values()))
    elif isinstance(given, list | tuple):
        for one in given:
            yield from arrays_in(one)


def watched(defined, calls):
    """Make the calls as a caller who writes over its arrays; yield what came."""
    results = []
    for shared_call in calls:
        call = copy.deepcopy(shared_call)  # several calls of a probe may hold one array
        args = [results[x.of] if isinstance(x, Result) else x for x in call.args]
        owner = None if call.on is None else results[call.on]
        if call.target == "$get":
            result = getattr(owner, *args)
        else:
            function = defined[call.target] if owner is None else getattr(owner, call.target)
            result = function(*args, **call.kwargs)
        given = [*arrays_in(args), *arrays_in(call.kwargs)]
        values = list(result) if len(call.returns) > 1 else [result]
        for name, value in zip(call.returns, values, strict=True) if call.returns else ():
            shared = any(np.shares_memory(x, y) for x in arrays_in([value]) for y in given)
            yield name, np.array(value), shared
        for one in given:
            one[...] = np.nan if one.dtype.kind == "f" else one.dtype.type(0)
        results.append(result)


def amiss(exercise, source):
    """Return what is wrong where the caller writes over what it gave."""
    found = []
    for probe in exercise.probes:
        if probe.large:
            continue
        right = right_outcome(exercise, probe, public_calls(exercise, probe))
        came = watched(load(source), public_calls(exercise, probe))
        for (name, value, shared), wanted in zip(came, right.values, strict=True):
            if shared:
                found.append(f"{probe.name}: {name} is the caller's own memory")
            elif not isinstance(wanted, str) and compare(exercise, name, wanted, value):
                found.append(f"{probe.name}: {name} changes with the caller's arrays")
    return found


@pytest.mark.parametrize("slug", NUMPY)
def test_a_solution_keeps_and_returns_no_memory_of_its_caller(slug):
    assert amiss(EXERCISES[slug], EXERCISES[slug].solution) == []


@pytest.mark.gate(
    "solutions with a memory of their own", "a cache that keeps the caller's arrays"
)
def test_a_cache_that_keeps_its_callers_arrays_is_noticed():
    exercise = EXERCISES["kv-cache"]
    source = exercise.solution.replace("k, v = k.copy(), v.copy()", "pass")
    assert source != exercise.solution
    assert any("changes with" in said for said in amiss(exercise, source))


@pytest.mark.parametrize("slug", TORCH)
def test_a_torch_solution_stays_on_its_inputs_device_and_in_its_format(slug):
    """float64 does not exist on every device, and .data hides a change from the gradients."""
    found = re.findall(
        r"float64|\.double\(|\.cpu\(|\.numpy\(|\.data\b|torch\.(?:zeros|ones|tensor)\(",
        EXERCISES[slug].solution,
    )
    assert found == []
