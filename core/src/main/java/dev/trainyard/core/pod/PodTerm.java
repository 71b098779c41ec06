package dev.trainyard.core.pod;

/**
 * A term of required pod affinity or anti-affinity.
 *
 * @param topologyKey the label whose value tells what belongs together: nodes of equal value are near each other
 */
public record PodTerm(PodSet pods, String topologyKey) {}
