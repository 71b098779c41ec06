package dev.trainyard.runtime.resource;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierStatus;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** A kind of training, with an ordered list of the pools that may run it. Cluster-scoped. */
@Group(Names.GROUP)
@Version(Names.VERSION)
@Plural("trainingtiers")
@ShortNames({"ttier", "ttiers"})
@AdditionalPrinterColumn(name = "Pools", jsonPath = ".spec.pools", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Fallback",
        jsonPath = ".spec.fallbackAfter",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Driver", jsonPath = ".spec.driver.mode", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Message", jsonPath = ".status.message", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public final class TrainingTier extends CustomResource<TrainingTierSpec, TrainingTierStatus> {

    private static final long serialVersionUID = 1;

    /** Returns null, because a record has no empty form. The reader of the object reports a missing spec. */
    @Override
    protected @Nullable TrainingTierSpec initSpec() {
        return null;
    }

    @Override
    protected @Nullable TrainingTierStatus initStatus() {
        return null;
    }
}
