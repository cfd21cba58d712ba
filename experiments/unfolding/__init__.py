"""Learned kernels: semidefinite embedding, actions, maximum entropy unfolding."""
