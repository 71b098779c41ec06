package dev.trainyard.core.pod;

/**
 * A term of required pod affinity or anti-affinity.
 *
 * @param topologyKey the label that defines the domains: nodes with an equal value are in the same domain
 */
public record PodTerm(PodSet pods, String topologyKey) {}
