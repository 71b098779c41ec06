package dev.trainyard.core.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the scaler found out about a tier. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TrainingTierStatus(
        @Nullable Long observedGeneration,
        @Nullable String message,
        @Nullable List<TrainingPoolStatus.ConditionStatus> conditions) {}
