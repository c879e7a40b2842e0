import com.alibaba.fastjson2.JSON;
import com.alibaba.fastjson2.JSONWriter;
import com.alibaba.otter.canal.connector.core.producer.MQMessageUtils;
import com.alibaba.otter.canal.protocol.CanalEntry;
import com.alibaba.otter.canal.protocol.FlatMessage;
import com.alibaba.otter.canal.protocol.Message;
import com.google.protobuf.ByteString;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;

/** Reads lines "BATCH_ID HEX_OF_ENTRY", prints the FlatMessages that the connector makes of each, without the time of making. */
public final class FlatMessages {
    public static void main(String[] args) throws Exception {
        ThreadPoolExecutor executor = (ThreadPoolExecutor) Executors.newFixedThreadPool(1);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int blank = line.indexOf(' ');
            long id = Long.parseLong(line.substring(0, blank));
            List<CanalEntry.Entry> entries = new ArrayList<>();
            entries.add(CanalEntry.Entry.parseFrom(bytes(line, blank + 1)));
            MQMessageUtils.EntryRowData[] rows = MQMessageUtils.buildMessageData(new Message(id, entries), executor);
            for (FlatMessage flat : MQMessageUtils.messageConverter(rows, id)) {
                flat.setTs(0L);
                out.println(JSON.toJSONString(flat, JSONWriter.Feature.WriteNulls));
            }
        }
        out.flush();
        executor.shutdown();
    }

    private static ByteString bytes(String hex, int from) {
        byte[] out = new byte[(hex.length() - from) / 2];
        for (int i = 0; i < out.length; i++) {
            out[i] = (byte) Integer.parseInt(hex.substring(from + 2 * i, from + 2 * i + 2), 16);
        }
        return ByteString.copyFrom(out);
    }
}
