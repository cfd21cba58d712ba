"""
Gated and biased auto-encoders, manifields
==========================================

A signal seen through noise. A network that looks at single windows predicts them one by one; an
auto-encoder behind it knows what windows look like, and a manifield joins overlapping windows.
"""

import numpy as np

from sidelight import PCA
from sidelight.gated import BiasedAutoencoder, GatedAutoencoder, Manifield
from sidelight.plot import scatter

rng = np.random.default_rng(0)
time = np.arange(1200)
clean = np.sin(2 * np.pi * time / 37)[:, None]
seen = clean + 0.5 * rng.normal(size=clean.shape)
learn, test = slice(0, 900), slice(900, 1200)

model = Manifield(BiasedAutoencoder(2, max_iter=800), patch_size=15)
model.fit(seen[learn], clean[learn])
found = model.predict(seen[test])

for name, frames in {"seen": seen[test], "manifield": found}.items():
    print(f"{name}: squared error {np.mean((frames - clean[test]) ** 2):.3f}")

# %%
ax = scatter(np.column_stack([time[test], seen[test]])[:120], title="seen, and cleaned")
ax.set_aspect("auto")
ax.plot(time[test][:120], found[:120], color="black", linewidth=1.5)

# %%
# A gated auto-encoder of pairs learns codes that say how a row became another, whatever the row:
# here by which of three shifts.

shifts = rng.integers(-1, 2, size=1500)
rows = rng.normal(size=(1500, 10))
moved = np.array([np.roll(row, shift) for row, shift in zip(rows, shifts, strict=True)])
gated = GatedAutoencoder(4, max_iter=700).fit(rows, moved)
codes = PCA(2).fit_transform(gated.infer(rows[:400], moved[:400]))
scatter(codes, labels=np.char.add("by ", shifts[:400].astype(str)), key_title="shift")
