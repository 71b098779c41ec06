package dev.trainyard.scaler.provider;

import dev.trainyard.core.node.MachineNotice;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A cloud's queue of notices about machines. The queue delivers a message again unless the message is deleted soon after it was received.
 */
public interface NoticeQueue extends AutoCloseable {

    /**
     * A message of the queue.
     *
     * @param handle names the message in {@link #delete}
     * @param sent when the message was sent to the queue
     * @param notices what the message announces; empty if nothing
     * @param problem why the message cannot be read; empty if it can
     */
    record Message(String handle, Instant sent, List<MachineNotice> notices, Optional<String> problem) {

        public Message {
            notices = List.copyOf(notices);
        }
    }

    /** Waits for messages, and returns some of them; none if there was none for a while. */
    List<Message> receive() throws ProviderException;

    /**
     * Deletes messages. A message that cannot be deleted is delivered again.
     *
     * @throws ProviderException if no message was deleted
     */
    void delete(List<Message> messages) throws ProviderException;

    /**
     * Returns the rights that a scaler needs on the queue, each with the answer whether the current credentials have the right. Deletes no
     * message, and hides none from other receivers.
     */
    List<CloudRight> rights() throws ProviderException;

    /** Releases connections. */
    @Override
    void close();
}
