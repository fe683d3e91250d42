// A client that knows nothing of us but the protocol: the official TypeScript library. Prints what it saw as JSON.
const { createRequire } = require("node:module");
const library = createRequire(process.argv[2] + "/");
const { Client } = library("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = library("@modelcontextprotocol/sdk/client/stdio.js");

async function main() {
  const transport = new StdioClientTransport({ command: process.argv[3], args: ["mcp"], env: process.env });
  const client = new Client({ name: "independent", version: "1" });
  await client.connect(transport);
  const call = (name, given) => client.callTool({ name, arguments: given });
  const seen = {
    server: client.getServerVersion().name,
    capabilities: Object.keys(client.getServerCapabilities()).sort(),
    tools: (await client.listTools()).tools.map((tool) => tool.name),
    recorded: await call("record_decision", { text: "tabs, not spaces", why: "they are shorter" }),
    refused: await call("record_decision", {}),
    found: (await call("recall", { words: "tabs" })).content[0].text,
    opened: (await call("recall", { id: "D1" })).content[0].text,
    said: (await call("recall", { words: "importer umlauts" })).content[0].text,
    resources: (await client.listResources()).resources.map((resource) => resource.uri),
    state: JSON.parse((await client.readResource({ uri: "throughline://state" })).contents[0].text).decisions.length,
    prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
    prompt: (await client.getPrompt({ name: "compaction", arguments: { focus: "tabs" } })).messages[0].role,
    ping: await client.ping(),
  };
  seen.together = await Promise.all(
    [1, 2, 3, 4, 5].map(async (number) => (await call("ask_question", { text: `question ${number}?` })).isError),
  );
  await client.close();
  console.log(JSON.stringify(seen));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
