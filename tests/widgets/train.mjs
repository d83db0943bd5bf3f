// Gradients and trainings of the page's JavaScript, asked for as JSON on standard input.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { folder, example, first, run } = JSON.parse(readFileSync(0, "utf8"));
const part = (name) => import(pathToFileURL(`${folder}/${name}.js`).href);
const { forward, learn, network, write } = await part("live_training/network");
const { firstNetwork, training } = await part("live_training/training");
const answer = {};

if (example) {
  const { sizes, data, source, target, share } = example;
  const net = network(sizes);
  net.data.set(data);
  const { steps } = forward(net, source, target);
  answer.weights = steps.map(({ seen }) => [...seen.weights]);
  answer.logits = steps.map(({ emitted }) => [...emitted.logits]);
  answer.loss = learn(net, source, target, share);
  answer.grad = [...net.grad];
  answer.written = write(net, source, 12);
}
if (first) answer.first = [...firstNetwork(first.sizes, first.seed).data];
if (run) {
  const trained = training(run.setting, run.words, run.name, run.seed);
  answer.losses = Array.from({ length: run.steps }, () => trained.step());
  answer.exact = trained.exact();
  answer.show = trained.show();
  answer.shows = (run.own ?? []).map(trained.show);
}
process.stdout.write(JSON.stringify(answer));
