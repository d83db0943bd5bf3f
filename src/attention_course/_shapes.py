"""Shape annotations that cost nothing where jaxtyping is absent (Colab)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Float32, Float64, Int, Shaped
else:
    try:
        from jaxtyping import Bool, Float, Float32, Float64, Int, Shaped
    except ModuleNotFoundError:

        class _Plain:
            """Stands for a jaxtyping dtype: ``Float[ndarray, "n d"]`` is then ``ndarray``."""

            def __class_getitem__(cls, item: tuple[Any, str]) -> Any:
                return item[0]

        Bool = Float = Float32 = Float64 = Int = Shaped = _Plain

__all__ = ["Bool", "Float", "Float32", "Float64", "Int", "Shaped"]
