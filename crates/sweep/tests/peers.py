"""What samplers and search have to agree in with scipy and pymoo: `peers.py FUNCTION DATA.json`."""

import json
import sys

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.indicators.hv import HV
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.operators.survival.rank_and_crowding.classes import ConstrRankAndCrowding
from pymoo.optimize import minimize
from scipy import stats
from scipy.stats import qmc

# A difference that is as unlikely as this by chance is one.
CHANCE = 1e-4


def sobol(points):
    ours = np.array(points, dtype=np.uint64)
    theirs = qmc.Sobol(d=ours.shape[1], scramble=False, bits=32).random(len(ours))
    assert (ours == theirs * 2.0**32).all(), "points differ"


def evenness(samples):
    def discrepancies(points):
        return np.array([qmc.discrepancy(np.array(one)) for one in points])

    of = {name: discrepancies(points) for name, points in samples.items()}
    _, count, factors = np.array(samples["sobol"]).shape
    seeds = range(len(samples["sobol"]))
    theirs = {
        "sobol": [qmc.Sobol(factors, rng=seed).random(count) for seed in seeds],
        "lhs": [qmc.LatinHypercube(factors, rng=seed).random(count) for seed in seeds],
        "random": [np.random.default_rng(seed).random((count, factors)) for seed in seeds],
    }
    for name, points in theirs.items():
        ours, scipys = of[name], discrepancies(points)
        chance = stats.ttest_ind(ours, scipys, equal_var=False).pvalue
        print(f"{name}: {ours.mean():.5f}, scipy {scipys.mean():.5f}, p {chance:.3f}")
        assert chance > CHANCE, name
        assert abs(ours.mean() / scipys.mean() - 1) < 0.1, name
    # The test could tell them apart.
    assert of["sobol"].mean() < 0.5 * of["lhs"].mean() < 0.5 * of["random"].mean()


class Given(Problem):
    """A population whose values are given."""

    def __init__(self, goals):
        super().__init__(n_var=1, n_obj=goals, n_ieq_constr=1, xl=0.0, xu=1.0)


def survival(cases):
    for case in cases:
        places, beyond = np.array(case["places"]), np.array(case["beyond"])
        layers = np.array(case["layers"])
        alone = np.array([np.inf if one is None else one for one in case["alone"]])

        def pymoos(count):
            population = Population.new(X=np.arange(len(places))[:, None].astype(float))
            population.set("F", places, "G", beyond[:, None], "H", np.zeros((len(places), 0)))
            kept = ConstrRankAndCrowding().do(
                Given(places.shape[1]), population, n_survive=count,
                random_state=np.random.default_rng(1),
            )
            return population, kept.get("X")[:, 0].astype(int)

        everyone, _ = pymoos(len(places))
        keeps = beyond == 0.0
        assert (layers[keeps] == everyone.get("rank")[keeps].astype(int)).all(), "ranks"
        # pymoo divides by the number of goals, and takes two or fewer as alone.
        goals, crowding = places.shape[1], everyone.get("crowding")[keeps].astype(float)
        assert np.allclose(alone[keeps] / goals, crowding, rtol=1e-9), "crowding distances"
        # Those beyond the limit come after, the nearest first.
        order = np.argsort(layers[~keeps])
        assert (np.diff(beyond[~keeps][order]) >= 0).all(), "violations"
        assert keeps.all() or layers[~keeps].min() > layers[keeps].max()
        for count, ours in zip((10, 30, 50), case["survivors"]):
            _, theirs = pymoos(count)

            def worth(which):
                """Equal for those between whom pymoo draws."""
                pairs = ((layers[i], alone[i]) for i in which)
                return sorted(pairs)

            assert worth(ours) == worth(theirs), f"survivors of {count}"


def children(data):
    parents, ours = np.array(data["parents"]), np.array(data["children"])
    random = np.random.default_rng(7)
    factors, pairs = parents.shape[1], len(ours) // 2
    problem = Problem(n_var=factors, n_obj=1, xl=0.0, xu=1.0)
    mated = parents[random.integers(0, 2, (2, pairs))]
    crossed = SBX(prob_var=0.5, eta=15)._do(problem, mated.copy(), random_state=random)
    taken = random.random(pairs) < 0.9
    both = np.where(taken[None, :, None], crossed, mated).reshape(-1, factors)
    mutation = PM(eta=20)
    theirs = mutation._do(problem, both, random_state=random)
    for factor in range(factors):
        def moved(all):
            """Values that neither parent has."""
            return all[~np.isin(all[:, factor], parents[:, factor]), factor]

        few, others = moved(ours), moved(theirs)
        assert abs(len(few) - len(others)) < 5 * np.sqrt(len(few) + len(others)), "shares"
        chance = stats.ks_2samp(few, others).pvalue
        print(f"factor {factor}: {len(few)} and {len(others)} moved, p {chance:.3f}")
        assert chance > CHANCE, f"factor {factor}"


class Zdt1(Problem):
    def __init__(self, factors):
        super().__init__(n_var=factors, n_obj=2, xl=0.0, xu=1.0)

    def _evaluate(self, x, out, *args, **kwargs):
        g = 1 + 9 * x[:, 1:].sum(axis=1) / (self.n_var - 1)
        out["F"] = np.column_stack([x[:, 0], g * (1 - np.sqrt(x[:, 0] / g))])


class Constr(Problem):
    def __init__(self):
        super().__init__(n_var=2, n_obj=2, n_ieq_constr=2, xl=[0.1, 0.0], xu=[1.0, 5.0])

    def _evaluate(self, x, out, *args, **kwargs):
        out["F"] = np.column_stack([x[:, 0], (1 + x[:, 1]) / x[:, 0]])
        out["G"] = np.column_stack(
            [6 - (9 * x[:, 0] + x[:, 1]), 1 - (9 * x[:, 0] - x[:, 1])]
        )


def search(areas):
    for name, problem, generations, corner in [
        ("zdt1", Zdt1(10), 121, [1.0, 1.0]),
        ("constr", Constr(), 61, [1.0, 9.0]),
    ]:
        def pymoos(seed):
            found = minimize(problem, NSGA2(pop_size=60), ("n_gen", generations), seed=seed)
            return HV(ref_point=np.array(corner))(found.F)

        ours, theirs = np.array(areas[name]), np.array([pymoos(seed) for seed in range(1, 9)])
        spread = np.sqrt((ours.var(ddof=1) + theirs.var(ddof=1)) / len(ours))
        print(f"{name}: {ours.mean():.5f}, pymoo {theirs.mean():.5f}, error {spread:.5f}")
        assert ours.mean() > theirs.mean() - 4 * spread, name


if __name__ == "__main__":
    function, data = sys.argv[1:]
    with open(data) as file:
        globals()[function](json.load(file))
