package dev.trainyard.core.catalogue;

import dev.trainyard.core.Durations;
import dev.trainyard.core.api.TrainingClusterSpec;
import dev.trainyard.core.api.TrainingClusterSpec.NoticeMeaning;
import dev.trainyard.core.api.TrainingClusterSpec.NoticeQueueSpec;
import dev.trainyard.core.api.TrainingClusterSpec.NoticeSpec;
import dev.trainyard.core.api.TrainingClusterSpec.SignStatus;
import dev.trainyard.core.node.NoticeEntry;
import dev.trainyard.core.node.NoticeEntry.Sign;
import dev.trainyard.core.node.NoticeTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A reader of the entries that users add to a {@link NoticeTable}, and of queues of notices. */
final class NoticeEntries {

    private static final Duration LEAD = Duration.ofMinutes(2);

    private static final Set<String> OF_KUBERNETES =
            Set.of("Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable");

    private NoticeEntries() {}

    /**
     * Returns the built-in table with the entries of the settings.
     *
     * @throws IllegalArgumentException if an entry is invalid; the message names the field
     */
    static NoticeTable table(TrainingClusterSpec settings) {
        var specs = settings.notices();
        if (specs == null || specs.isEmpty()) {
            return NoticeTable.BUILT_IN;
        }
        var entries = new ArrayList<NoticeEntry>();
        for (int i = 0; i < specs.size(); i++) {
            try {
                entries.add(entry(specs.get(i)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("spec.notices[%d]%s".formatted(i, e.getMessage()), e);
            }
        }
        return NoticeTable.with(entries);
    }

    /**
     * Returns the queues of the settings.
     *
     * @throws IllegalArgumentException if a queue is invalid; the message names the field
     */
    static List<NoticeQueueSpec> queues(TrainingClusterSpec settings) {
        var specs = settings.noticeQueues() == null ? List.<NoticeQueueSpec>of() : settings.noticeQueues();
        for (int i = 0; i < specs.size(); i++) {
            var url = specs.get(i).sqs();
            if (url == null || !url.matches(NoticeQueueSpec.SQS_URL)) {
                throw new IllegalArgumentException(
                        "spec.noticeQueues[%d].sqs: %s; expected a URL such as https://sqs.eu-west-1.amazonaws.com/123456789012/NAME"
                                .formatted(
                                        i,
                                        url == null
                                                ? "missing"
                                                : "'%s' is not the URL of an SQS queue".formatted(url)));
            }
        }
        return specs;
    }

    private static NoticeEntry entry(NoticeSpec spec) {
        return new NoticeEntry(
                sign(spec),
                key(spec),
                status(spec),
                spec.meaning() == null ? NoticeMeaning.RECLAIM : spec.meaning(),
                lead(spec),
                spec.startsWith() == null ? List.of() : spec.startsWith(),
                Map.of());
    }

    private static Sign sign(NoticeSpec spec) {
        if (spec.taint() != null) {
            return Sign.TAINT;
        }
        if (spec.condition() != null) {
            return Sign.CONDITION;
        }
        return spec.annotation() != null ? Sign.ANNOTATION : Sign.LABEL;
    }

    private static SignStatus status(NoticeSpec spec) {
        var status = spec.status() == null ? SignStatus.TRUE : spec.status();
        if (status != SignStatus.TRUE && spec.condition() == null) {
            throw new IllegalArgumentException(
                    ".status: '%s' is only for conditions; remove the field, or name a condition".formatted(status));
        }
        return status;
    }

    private static String key(NoticeSpec spec) {
        var keys = new ArrayList<String>();
        for (var key : new String[] {spec.taint(), spec.condition(), spec.annotation(), spec.label()}) {
            if (key != null) {
                keys.add(key);
            }
        }
        if (keys.size() != 1) {
            throw new IllegalArgumentException(": exactly one of taint, condition, annotation and label must be set");
        }
        if (spec.condition() != null && OF_KUBERNETES.contains(spec.condition())) {
            throw new IllegalArgumentException(
                    ".condition: '%s' is one of Kubernetes' own conditions, which neither announce the end of a machine nor say that it is broken"
                            .formatted(spec.condition()));
        }
        return keys.get(0);
    }

    private static Duration lead(NoticeSpec spec) {
        try {
            return spec.lead() == null ? LEAD : Durations.parse(spec.lead());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(".lead: " + e.getMessage(), e);
        }
    }
}
