package dev.trainyard.runtime.resource;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolStatus;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** A set of identical machines that one cloud resource can grow and shrink. Cluster-scoped. */
@Group(Names.GROUP)
@Version(Names.VERSION)
@Plural("trainingpools")
@ShortNames({"tpool", "tpools"})
@AdditionalPrinterColumn(name = "Type", jsonPath = ".spec.capacityType", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Min", jsonPath = ".spec.min", type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(name = "Max", jsonPath = ".spec.max", type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(name = "Target", jsonPath = ".status.target", type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(name = "Ready", jsonPath = ".status.ready", type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(name = "Upcoming", jsonPath = ".status.upcoming", type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
        name = "Back-off",
        jsonPath = ".status.backOff.kind",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Message", jsonPath = ".status.message", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@ValidationRule(
        value = "self.metadata.name.size() <= 63",
        message = "the name must have at most 63 characters, as it becomes a label of the pool's nodes")
public final class TrainingPool extends CustomResource<TrainingPoolSpec, TrainingPoolStatus> {

    private static final long serialVersionUID = 1;

    /** Returns null, because a record has no empty form. The reader of the object reports a missing spec. */
    @Override
    protected @Nullable TrainingPoolSpec initSpec() {
        return null;
    }

    @Override
    protected @Nullable TrainingPoolStatus initStatus() {
        return null;
    }
}
