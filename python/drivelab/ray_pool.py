"""Ray as an executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class RayExecutor(Executor):
    """Runs calls as tasks of Ray. A task whose worker or node is lost is made again elsewhere."""

    def __init__(self, cpus: float, retries: int, options: dict[str, Any]) -> None:
        try:
            import ray
        except ModuleNotFoundError as missing:
            message = "Ray is not installed: `pip install ray`"
            raise ModuleNotFoundError(message, name="ray") from missing
        self._ray = ray
        self._options = {"num_cpus": cpus, "max_retries": retries, **options}

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        task = self._ray.remote(**self._options)(call)
        future: Future[Any] = task.remote(*args, **kwargs).future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Nothing: the cluster is the user's."""


def ray_executor(cpus: float = 1, retries: int = 5, **options: Any) -> Executor:
    """An executor on the Ray cluster that this process is connected to (``ray.init``).

    ``cpus`` are reserved for each task; ``options`` are those of ``ray.remote``, such as
    ``memory``. Workers need this package, of the same build.

    >>> import importlib.util
    >>> if importlib.util.find_spec("ray"):
    ...     import ray
    ...     _ = ray.init(address="auto")
    ...     pool = ray_executor(cpus=1, memory=500e6)
    """
    return RayExecutor(cpus, retries, options)
