"""The machine that kveval runs on.

host.py         processor, memory, system, and the GPUs that nvidia-smi lists
gpus.py         table of known GPU models
gpu_monitor.py  GPU utilisation and memory while an engine serves, through NVML
"""
