package dev.trainyard.core.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state of a tier, as the scaler sees it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TrainingTierStatus(
        @Nullable Long observedGeneration,
        @Nullable String message,
        @Nullable List<TrainingPoolStatus.ConditionStatus> conditions) {}
