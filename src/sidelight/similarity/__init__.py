"""Stage 2: from data or a graph to a kernel K, or to a stiffness matrix whose inverse is one."""
