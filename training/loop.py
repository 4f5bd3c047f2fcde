"""The training loop: batches of one length each, half precision on a GPU, and an averaged network at the end."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from training.bert import StanceNet
from training.config import RunRules
from training.tokens import Encoded, EncodedPairs

SMALLEST_BATCH = 4
LAYERS_PER_BAND = 3
"""Layers that share a learning rate: few parameter groups make the optimiser's step short."""
Log = Callable[[str], None]
Plan = list[tuple[NDArray[np.int64], int]]


@dataclass(frozen=True, slots=True)
class OnDevice:
    """An encoded set on the training device; batches are cut out of it there."""

    flat: Tensor
    starts: Tensor
    lengths: Tensor
    first: Tensor

    @classmethod
    def of(cls, ids: Encoded, device: torch.device) -> "OnDevice":
        """Move the arrays; the tail lets the last rows be read past their end."""
        padded = np.concatenate([ids.flat, np.zeros(1024, np.int32)])
        return cls(*(torch.from_numpy(part).to(device) for part in (padded, ids.starts, ids.lengths, ids.first)))

    def batch(self, rows: Tensor, length: int) -> tuple[Tensor, Tensor, Tensor]:
        """Ids, types and mask of some rows, padded to `length`."""
        places = torch.arange(length, device=rows.device)
        mask = places[None, :] < self.lengths[rows][:, None]
        ids = self.flat[self.starts[rows][:, None] + places[None, :]].long() * mask
        types = ((places[None, :] >= self.first[rows][:, None]) & mask).long()
        return ids, types, mask


def equal_length_batches(lengths: NDArray[np.int32], tokens: int, draw: np.random.Generator) -> Plan:
    """Shuffled batches of rows that have the same length: no padding, no mask, whatever fits into `tokens`."""
    order = draw.permutation(len(lengths))
    order = order[np.argsort(lengths[order], kind="stable")]
    plan: Plan = []
    for rows in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        length = int(lengths[rows[0]])
        full = max(1, tokens // length)
        plan += [(rows[at : at + full], length) for at in range(0, len(rows), full)]
    plan = [(rows, length) for rows, length in plan if len(rows) >= min(SMALLEST_BATCH, tokens // length)]
    return [plan[place] for place in draw.permutation(len(plan))]


def padded_batches(lengths: NDArray[np.int32], tokens: int) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Batches in order of length, for prediction."""
    order, at = np.argsort(lengths, kind="stable"), len(lengths)
    while at > 0:
        longest = int(lengths[order[at - 1]])
        begin = max(0, at - max(1, tokens // longest))
        yield order[begin:at], longest
        at = begin


def stance_loss(logits: Tensor, targets: Tensor, not_supported: Tensor, smoothing: float) -> Tensor:
    """Cross-entropy to soft targets; where only 'not supported' is known, −log(1 − P(supports))."""
    log_p = functional.log_softmax(logits, dim=-1)
    smooth = targets * (1 - smoothing) + smoothing / 3
    exact = -(smooth * log_p).sum(-1)
    unsure = -torch.logsumexp(log_p[:, 1:], dim=-1)
    return torch.where(not_supported, unsure, exact)


def slope(step: int, expected: int, warmup: float) -> float:
    """Share of the learning rate at a step: up during the warm-up, then down to almost nothing."""
    warm = max(1, round(warmup * expected))
    return min((step + 1) / warm, max(0.01, (expected - step) / max(1, expected - warm)))


def _learning_rate(name: str, layers: int, rules: RunRules) -> float:
    """Lower layers learn slower, in bands; the new head learns faster."""
    if name.startswith(("pooler", "classifier")):
        return rules.learning_rate * rules.head_factor
    depth = int(name.split(".")[2]) + 1 if name.startswith("encoder") else 0
    below = math.ceil((layers - depth) / LAYERS_PER_BAND) * LAYERS_PER_BAND
    return rules.learning_rate * rules.layer_decay**below


class Trainer:
    """Trains one network over prepared epochs, keeping exact copies of its weights beside the half-precision ones."""

    def __init__(self, net: StanceNet, rules: RunRules, device: torch.device, seed: int, log: Log) -> None:
        self._rules, self._device, self._log = rules, device, log
        self._exact = [item.detach().to(device, torch.float32).clone() for item in net.parameters()]
        self._average = [item.clone() for item in self._exact]
        self._net = net.to(device, torch.bfloat16 if device.type == "cuda" else torch.float32)
        self._parameters: list[Tensor] = list(self._net.parameters())
        for exact in self._exact:
            exact.grad = torch.zeros_like(exact)
        self._draw = np.random.default_rng(seed)
        torch.manual_seed(seed)
        self._optimiser = self._make_optimiser()

    def _make_optimiser(self) -> torch.optim.Optimizer:
        groups: dict[tuple[float, float], list[Tensor]] = {}
        names = [name for name, _ in self._net.named_parameters()]
        for name, exact in zip(names, self._exact, strict=True):
            decay = self._rules.weight_decay if exact.ndim > 1 else 0.0
            groups.setdefault((_learning_rate(name, self._net.shape.layers, self._rules), decay), []).append(exact)
        return torch.optim.AdamW(
            [{"params": items, "lr": rate, "weight_decay": decay} for (rate, decay), items in groups.items()],
            betas=(0.9, 0.98),
            fused=self._device.type == "cuda",
        )

    def run(
        self,
        epochs: Sequence[Callable[[], EncodedPairs]],
        teachers: Sequence[StanceNet] = (),
        finish_by: float | None = None,
    ) -> StanceNet:
        """Train over the epochs, fetched one by one, and leave the averaged weights in the network.

        With `finish_by` (monotonic seconds) the last epochs are given up if they would end later.
        """
        rates = [float(group["lr"]) for group in self._optimiser.param_groups]
        started, step, number, waiting = time.monotonic(), 0, 0, list(epochs)
        while waiting:
            epoch = waiting.pop(0)()
            plan = equal_length_batches(epoch.ids.lengths, self._rules.tokens_per_batch, self._draw)
            # Later epochs are not there yet; they are about as long as this one.
            expected = step + len(plan) * (1 + len(waiting))
            data = _Epoch.of(epoch, self._device)
            self._net.train()
            total = torch.zeros((), device=self._device)
            for rows, length in plan:
                share = slope(step, expected, self._rules.warmup)
                for group, rate in zip(self._optimiser.param_groups, rates, strict=True):
                    group["lr"] = rate * share
                total += self._step(data, torch.from_numpy(rows).to(self._device), length, teachers)
                step += 1
                self._follow(step)
            mean = total.item() / max(1, len(plan))
            seconds, number = time.monotonic() - started, number + 1
            self._log(f"epoch {number} of {number + len(waiting)}: {step} steps, loss {mean:.4f}, {seconds:.0f} s")
            if not math.isfinite(mean):
                raise SystemExit("the loss is no longer a number: lower learning_rate and start again")
            if finish_by is not None:
                affordable = int((finish_by - time.monotonic()) / (seconds / number))
                waiting = waiting[: max(0, affordable)]
        return self._averaged()

    def _step(self, data: "_Epoch", rows: Tensor, length: int, teachers: Sequence[StanceNet]) -> Tensor:
        loss, steep = self._gradients(data, rows, length, teachers)
        if not torch.isfinite(steep):
            # The fast attention kernels give gradients that are no numbers for some bases at lengths of n × 64.
            with sdpa_kernel(SDPBackend.MATH):
                loss, steep = self._gradients(data, rows, length, teachers)
        if torch.isfinite(steep):
            self._optimiser.step()
            with torch.no_grad():
                torch._foreach_copy_(self._parameters, self._exact)
        return loss

    def _gradients(
        self, data: "_Epoch", rows: Tensor, length: int, teachers: Sequence[StanceNet]
    ) -> tuple[Tensor, Tensor]:
        """The loss of one batch and the length of its gradient, which is left, clipped, beside the exact weights."""
        for parameter in self._parameters:
            parameter.grad = None
        loss = self._loss(data, rows, length, teachers)
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves this one untyped
        torch._foreach_copy_(
            [item.grad for item in self._exact if item.grad is not None],
            [item.grad for item in self._parameters if item.grad is not None],
        )
        return loss.detach(), torch.nn.utils.clip_grad_norm_(self._exact, 1.0)

    def _follow(self, step: int) -> None:
        """Move the average; early on it is short, so that the base weights do not linger in it."""
        decay = min(self._rules.average_decay, (1 + step) / (10 + step))
        with torch.no_grad():
            torch._foreach_lerp_(self._average, self._exact, 1 - decay)

    def _loss(self, data: "_Epoch", rows: Tensor, length: int, teachers: Sequence[StanceNet]) -> Tensor:
        rules = self._rules
        ids, types, _ = data.ids.batch(rows, length)
        passes = [self._net(ids, types).float() for _ in range(2 if rules.consistency > 0 else 1)]
        targets, unsure = data.targets[rows], data.not_supported[rows]
        each = sum(stance_loss(logits, targets, unsure, rules.label_smoothing) for logits in passes) / len(passes)
        if teachers:
            with torch.no_grad():
                soft = sum(functional.softmax(net(ids, types).float(), dim=-1) for net in teachers) / len(teachers)
            follow = sum(-(soft * functional.log_softmax(logits, dim=-1)).sum(-1) for logits in passes) / len(passes)
            each = (1 - rules.distilled) * each + rules.distilled * follow
        if rules.consistency > 0:
            one, other = (functional.log_softmax(logits, dim=-1) for logits in passes)
            apart = functional.kl_div(one, other, log_target=True, reduction="none").sum(-1)
            back = functional.kl_div(other, one, log_target=True, reduction="none").sum(-1)
            each = each + rules.consistency * (apart + back) / 2
        # A batch of leftovers counts as much as it is full, so that rare lengths are not learned harder.
        fullness = min(1.0, len(rows) * length / rules.tokens_per_batch)
        return (each * data.weights[rows]).mean() * fullness

    def _averaged(self) -> StanceNet:
        with torch.no_grad():
            self._net.float()
            for parameter, value in zip(self._net.parameters(), self._average, strict=True):
                parameter.copy_(value)
        return self._net.eval()


@dataclass(frozen=True, slots=True)
class _Epoch:
    ids: OnDevice
    targets: Tensor
    not_supported: Tensor
    weights: Tensor

    @classmethod
    def of(cls, epoch: EncodedPairs, device: torch.device) -> "_Epoch":
        return cls(
            OnDevice.of(epoch.ids, device),
            torch.from_numpy(epoch.targets).to(device),
            torch.from_numpy(epoch.not_supported).to(device),
            torch.from_numpy(epoch.weights).to(device),
        )


def predict(net: StanceNet, ids: Encoded, device: torch.device, tokens: int = 131072) -> NDArray[np.float32]:
    """Logits of an encoded set, in its order; the network is used in the precision it has."""
    data = OnDevice.of(ids, device)
    logits = np.zeros((len(ids), 3), np.float32)
    net.eval()
    with torch.inference_mode():
        parts = [
            (rows, net(*data.batch(torch.from_numpy(rows.copy()).to(device), length)).float())
            for rows, length in padded_batches(ids.lengths, tokens)
        ]
    for rows, part in parts:
        logits[rows] = part.cpu().numpy()
    return logits
