package dev.trainyard.runtime.resource;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingClusterSpec;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the whole cluster. Cluster-scoped. Only the object named {@value #NAME} is read; without that object, every setting has its
 * default.
 */
@Group(Names.GROUP)
@Version(Names.VERSION)
@Plural("trainingclusters")
@ShortNames({"tcluster", "tclusters"})
@AdditionalPrinterColumn(
        name = "CPU pods on GPU nodes",
        jsonPath = ".spec.cpuPodsOnGpuNodes",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@ValidationRule(
        value = "self.metadata.name == 'default'",
        message = "the name must be default: no other TrainingCluster is read")
public final class TrainingCluster extends CustomResource<TrainingClusterSpec, Void> {

    /** The name of the only object that is read. */
    public static final String NAME = "default";

    private static final long serialVersionUID = 1;

    /** Returns null, because a record has no empty form. The reader of the object reports a missing spec. */
    @Override
    protected @Nullable TrainingClusterSpec initSpec() {
        return null;
    }
}
