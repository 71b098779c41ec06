package dev.trainyard.scaler.offline;

import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.configuration.ResourceFiles.Document;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Remarks about the files that a proposal is made from: problems with objects, and assumptions. The remarks are kept in the order in which
 * they were found. Used by one thread.
 */
final class PlanRemarks {

    private final Set<Proposal.Problem> problems = new LinkedHashSet<>();
    private final Set<String> notes = new LinkedHashSet<>();

    private final ResourceFiles files;

    PlanRemarks(ResourceFiles files) {
        this.files = files;
    }

    /** Adds a problem with an object. The object is left out, or read only in part. */
    void broken(Document document, String problem) {
        problems.add(new Proposal.Problem(document.title(), document.place(), problem));
    }

    /**
     * Adds a problem with an object, whose place in the files is looked up.
     *
     * @param namespace the namespace of the object; empty if the object has none
     */
    void broken(String kind, String namespace, String name, String problem) {
        var place = files.documents().stream()
                .filter(document ->
                        document.kind().equals(kind) && document.name().equals(name))
                .filter(document -> namespace.equals(
                        document.object().path("metadata").path("namespace").asText(namespace)))
                .map(Document::place)
                .findFirst()
                .orElse("generated from the files");
        var mentioned = " (" + place + ")";
        var title = (kind + " " + (namespace.isEmpty() ? name : namespace + "/" + name)).strip();
        problems.add(new Proposal.Problem(title, place, problem.replace(mentioned, "")));
    }

    /** Adds an assumption about a fact that the files do not contain. */
    void note(String note) {
        notes.add(note);
    }

    List<Proposal.Problem> problems() {
        return new ArrayList<>(problems);
    }

    List<String> notes() {
        return new ArrayList<>(notes);
    }
}
