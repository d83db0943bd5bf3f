"""Shape annotations that cost nothing where jaxtyping is absent (Colab)."""

try:
    from jaxtyping import Bool, Float, Float32, Float64, Int, Shaped
except ModuleNotFoundError:

    class _Plain:
        """Stands for a jaxtyping dtype: ``Float[ndarray, "n d"]`` is then ``ndarray``."""

        def __class_getitem__(cls, item):
            return item[0]

    Bool = Float = Float32 = Float64 = Int = Shaped = _Plain

__all__ = ["Bool", "Float", "Float32", "Float64", "Int", "Shaped"]
