"""What scripts of examples use of tensorflow, for interpreters that have none: its bfloat16, which is that of ml_dtypes."""
import ml_dtypes


class bfloat16:
    as_numpy_dtype = ml_dtypes.bfloat16
