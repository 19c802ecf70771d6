"""The machine that kveval runs on.

host.py         processor, memory, system, and the GPUs that nvidia-smi lists
gpus.py         the GPU models that kveval knows, one row each
gpu_monitor.py  GPU utilisation and memory while an engine serves, through NVML
"""
