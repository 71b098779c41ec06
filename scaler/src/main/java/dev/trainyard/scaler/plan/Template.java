package dev.trainyard.scaler.plan;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodSet;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.PodTerm;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;

/** The requirements on a machine that are equal for all pods of one pod template. Such a template is, for example, part of a Job. */
final class Template {

    /** The length of a digest in hexadecimal digits. This is enough, since a pool stores at most a hundred digests. */
    private static final int LENGTH = 16;

    private Template() {}

    /**
     * Returns a digest of the pods' requirements and the pool's promise. The digest is equal in every process, and changes if the
     * requirements or the promise change. The digest does not cover the pods' labels. It covers the namespace only of pods with affinity,
     * anti-affinity or topology spread.
     */
    static String digest(PodShape shape, PodRelations relations, NodeShape promise) {
        boolean alone = relations.affinity().isEmpty()
                && relations.antiAffinity().isEmpty()
                && relations.spread().isEmpty();
        var parts = List.of(
                shape.requests(),
                new TreeMap<>(shape.nodeSelector()),
                shape.nodeTerms(),
                shape.tolerations(),
                sorted(shape.hostPorts()),
                String.valueOf(shape.tier()),
                shape.wish(),
                alone ? "" : relations.namespace(),
                terms(relations.affinity()),
                terms(relations.antiAffinity()),
                relations.spread(),
                promise.allocatable(),
                new TreeMap<>(promise.labels()),
                promise.taints());
        return sha256(parts.toString()).substring(0, LENGTH);
    }

    private static List<List<Object>> terms(List<PodTerm> terms) {
        return terms.stream().map(Template::term).toList();
    }

    private static List<Object> term(PodTerm term) {
        PodSet pods = term.pods();
        return List.of(sorted(pods.namespaces()), pods.namespaceSelector(), pods.selector(), term.topologyKey());
    }

    /** Sorts the elements, since the order of a set differs between processes. */
    private static List<String> sorted(Collection<?> set) {
        return set.stream().map(String::valueOf).sorted().toList();
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime does not support SHA-256", e);
        }
    }
}
