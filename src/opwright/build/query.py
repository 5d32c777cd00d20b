"""A request as a question to the store: its key, the entry that holds, or why none does."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from opwright.build.digests import Digests
from opwright.build.entries import entries, has_damaged
from opwright.build.environment import compiler_environment
from opwright.build.expansion import expansion, hides_words
from opwright.build.explain import Miss, nearest_difference
from opwright.build.inputs import Inputs, first_change
from opwright.build.key import key_of, key_parts
from opwright.build.manifest import Manifest
from opwright.build.roots import Roots
from opwright.build.store import Store
from opwright.build.tools import ASKED_WITH, known_tools
from opwright.records.artifact import Artifact
from opwright.spec.request import BuildRequest
from opwright.toolchain.base import Job, Tools
from opwright.toolchain.registry import toolchain_for


class Query:
    """A request together with all that a look-up and a build both need to know about it."""

    def __init__(self, request: BuildRequest, store: Store) -> None:
        self.request = request
        self.store = store
        self.toolchain = toolchain_for(request.target)
        self.environment = compiler_environment()
        self.roots = Roots.of(request)

    @cached_property
    def tools(self) -> Tools:
        """The compiler's programs."""
        return known_tools(self.toolchain, self.store, self.environment)

    @property
    def tools_hold(self) -> bool:
        """Whether the same files and variables make the compiler do the same."""
        return not hides_words(self.job, self.toolchain)

    @property
    def environment_names(self) -> tuple[str, ...]:
        """The variables that decide which compiler is found, and what it makes."""
        chain = self.toolchain
        return (*chain.driver_environment, *ASKED_WITH, *chain.environment)

    @cached_property
    def job(self) -> Job:
        """What all commands have in common, before the private folder is known."""
        return Job(self.request, self.tools, self.environment)

    @cached_property
    def parts(self) -> dict[str, str]:
        """The named fields of the request key."""
        programs = Digests(self.store.internal(".memo", "programs.json"))
        parts = key_parts(self.job, self.toolchain, self.roots, programs)
        programs.save()
        if hides_words(self.job, self.toolchain):
            parts["driver's commands"] = expansion(self.job, self.toolchain, self.roots)
        return parts

    @cached_property
    def key(self) -> str:
        """The request key."""
        return key_of(self.parts)

    @cached_property
    def folder(self) -> Path:
        """The folder of the request's entries."""
        return self.store.request_folder(self.request, self.key)

    @cached_property
    def digests(self) -> Digests:
        """Digests of the files that this request's compiles read."""
        return Digests(self.store.internal(".memo", f"{self.key[:32]}.json"))

    def find(self) -> Manifest | Miss:
        """The entry that still holds, or why none does."""
        candidates = entries(self.folder)
        candidates = [manifest for manifest in candidates if manifest.request_key == self.key]
        changes = []
        for manifest in candidates:
            change = self._change(manifest.inputs)
            if change is None:
                self.digests.save()
                self.store.touch(manifest.folder)
                return manifest
            changes.append(change)
        self.digests.save()
        if changes:
            name, what = changes[0]
            return Miss(f"{name} {what}", (name,))
        if not candidates and has_damaged(self.folder):
            return Miss("what the store has of it is damaged, or of another version", ("library",))
        return nearest_difference(self.store, self.request, self.parts)

    def artifact(
        self, manifest: Manifest, *, hit: bool, seconds: float, why: Miss | None = None
    ) -> Artifact:
        """The entry as an answer to this request, with this request's facts, which are in no key."""
        found = manifest._replace(facts={**manifest.facts, **self.request.facts})
        why = why or Miss("")
        return found.artifact(hit=hit, seconds=seconds, reason=why.reason, changed=why.field)

    def preprocessed(self) -> Inputs | None:
        """The inputs as preprocessing tells them, where the compiler could not be watched."""
        from opwright.build.preprocess import preprocessed_inputs  # few compilers need it

        return preprocessed_inputs(self.job, self.toolchain, self.roots, self.digests)

    def _change(self, inputs: Inputs) -> tuple[str, str] | None:
        change = first_change(inputs, self.roots, self.digests)
        if change is None and inputs.preprocessed is not None:
            now = self.preprocessed()
            if now is None or now.preprocessed != inputs.preprocessed:
                return "preprocessed text", "changed"
        return change
