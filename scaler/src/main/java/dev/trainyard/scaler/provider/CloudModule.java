package dev.trainyard.scaler.provider;

import dev.trainyard.core.api.TrainingClusterSpec.NoticeQueueSpec;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A cloud that a scaler can use. CONTRIBUTING.md has the steps to add a cloud. */
public interface CloudModule {

    /**
     * Opens the providers of all kinds of pools that this cloud has. Sends no request and loads no class of the cloud's SDK: both happen
     * when a provider is first used for a pool.
     *
     * @param environment the environment variables of the process, with credentials and endpoints; an invalid variable is reported for each
     *     pool
     * @param readOnly whether the providers must not change anything in the cloud while they read a pool
     * @return providers by the field of {@code spec.provider} that selects them, such as {@code awsAutoScalingGroup}
     */
    Map<String, CloudProvider> open(Map<String, String> environment, boolean readOnly, Clock clock);

    /**
     * Opens a queue of this cloud's notices. Sends no request.
     *
     * @return empty if the queue is one of another cloud
     * @throws IllegalArgumentException if the environment is invalid; the message is for the user
     */
    default Optional<NoticeQueue> noticeQueue(NoticeQueueSpec queue) {
        return Optional.empty();
    }

    /** Opens the providers of several clouds, with the environment variables of this process. See {@link #open}. */
    static Map<String, CloudProvider> openAll(List<CloudModule> modules, boolean readOnly, Clock clock) {
        var providers = new HashMap<String, CloudProvider>();
        modules.forEach(module -> providers.putAll(module.open(System.getenv(), readOnly, clock)));
        return providers;
    }
}
