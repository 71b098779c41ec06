package dev.trainyard.cli.check;

import dev.trainyard.scaler.provider.CloudRight;
import java.util.List;

/**
 * The answer of a queue of notices to requests with the current credentials.
 *
 * @param url the queue's URL
 * @param rights the rights that a scaler needs on the queue, each with the answer whether the credentials have the right
 */
record QueueAnswer(String url, ReadResult<List<CloudRight>> rights) {}
