package dev.trainyard.scaler.offline;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.gang.GangObject;
import dev.trainyard.core.gang.GangObjects;
import dev.trainyard.runtime.configuration.ResourceFiles;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The objects of files that describe gangs.
 *
 * @param objects the objects by their references
 */
record OfflineGangObjects(Map<GangObject, JsonNode> objects) implements GangObjects {

    /** The kinds of objects that describe gangs and that no pods are created from. Jobs are not among them. */
    static final Set<String> KINDS = Set.of(
            "JobSet",
            "PodGroup",
            "LeaderWorkerSet",
            "TFJob",
            "PyTorchJob",
            "MPIJob",
            "JAXJob",
            "PaddleJob",
            "XGBoostJob",
            "RayCluster");

    OfflineGangObjects {
        objects = Map.copyOf(objects);
    }

    /**
     * Returns the objects of files in which all objects have a namespace. If two objects have the same reference, the last one counts, as
     * if the files were applied in their order.
     */
    static OfflineGangObjects of(ResourceFiles files) {
        var objects = new HashMap<GangObject, JsonNode>();
        for (var document : files.documents()) {
            if (document.kind().equals("Job") || KINDS.contains(document.kind())) {
                var object = document.object();
                objects.put(
                        new GangObject(
                                object.path("apiVersion").asText().replaceFirst("/.*", ""),
                                document.kind(),
                                object.path("metadata").path("namespace").asText(),
                                document.name(),
                                Optional.empty()),
                        object);
            }
        }
        return new OfflineGangObjects(objects);
    }

    @Override
    public Reading find(GangObject object) {
        // Pods in files may have been created for an earlier object of the same name.
        var found = objects.get(object.withUid(null));
        return found == null ? new Unreadable("%s is not among the files".formatted(object)) : new Found(found);
    }
}
