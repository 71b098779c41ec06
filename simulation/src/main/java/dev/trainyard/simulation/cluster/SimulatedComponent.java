package dev.trainyard.simulation.cluster;

/** A part of Trainyard that a {@link World} can be without. */
public enum SimulatedComponent {
    WEBHOOK,
    EXTENDER,
    SCALER
}
