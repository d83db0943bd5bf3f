// A device, the two programs on it, and what they give: all that touches WebGPU.
import { FORMS, PLAN, program } from "./kernels.js";

/**
 * @typedef {import("./kernels.js").Form} Form
 * @typedef {import("./kernels.js").Shape} Shape
 * @typedef {import("./maths.js").Inputs} Inputs
 * @typedef {import("./maths.js").Size} Size
 * @typedef {Awaited<ReturnType<typeof openGpu>>} Gpu
 * @typedef {Record<string, any[]>} Programs pipelines, by their form
 */

/** Why nothing runs: one of the reasons that words.js has sentences for. */
export class CannotRun extends Error {
  /** @param {string} reason @param {string} [detail] */
  constructor(reason, detail = "") {
    super(`${reason}: ${detail}`);
    Object.assign(this, { reason, detail });
  }
}

// Of WebGPU's enumerations, by their numbers in the specification.
const [MAP_READ, COPY_SRC, COPY_DST, UNIFORM, STORAGE] = [0x1, 0x4, 0x8, 0x40, 0x80];
const COMPUTE = 0x4;
const MOST = 2 ** 30; // bytes of scores: others need the memory too

/** Ask the browser for its GPU. Throws CannotRun. */
export async function openGpu() {
  const { gpu } = /** @type {any} */ (navigator);
  if (!gpu) throw new CannotRun(globalThis.isSecureContext ? "no-webgpu" : "insecure");
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new CannotRun("no-adapter");
  const more = ["maxStorageBufferBindingSize", "maxBufferSize"];
  /** @type {any} */
  let device;
  try {
    device = await adapter.requestDevice({
      // A device has the smallest limits that WebGPU guarantees, unless it asks for more.
      requiredLimits: Object.fromEntries(more.map((name) => [name, adapter.limits[name]])),
    });
  } catch (problem) {
    throw new CannotRun("no-device", text(problem));
  }
  let ended = false;
  /** @type {Promise<never>} */
  const lost = device.lost.then((/** @type {any} */ info) =>
    Promise.reject(new CannotRun(ended ? "stopped" : "lost", info.message || info.reason)),
  );
  // A device that is lost while nothing waits for it would be an unhandled rejection.
  lost.catch(() => {});
  /** Wait, but not for a device that is lost. @template T @param {Promise<T>} promise @returns {Promise<T>} */
  const alive = (promise) => Promise.race([promise, lost]);

  const layout = device.createBindGroupLayout({
    entries: [
      "uniform",
      "read-only-storage",
      "read-only-storage",
      "read-only-storage",
      "storage",
      "storage",
    ].map((type, binding) => ({ binding, visibility: COMPUTE, buffer: { type } })),
  });
  const pipelineLayout = device.createPipelineLayout({ bindGroupLayouts: [layout] });

  /** Compile a program; throws CannotRun with its first error and the line of it. @param {string} code @param {string[]} entries */
  const build = async (code, entries) => {
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ code });
    const { messages } = await alive(module.getCompilationInfo());
    const wrong = messages.find((/** @type {any} */ m) => m.type === "error");
    const refused = await alive(device.popErrorScope());
    if (wrong || refused)
      throw Object.assign(
        new CannotRun(
          "compile",
          wrong ? `line ${wrong.lineNum}: ${text(wrong)}` : text(refused),
        ),
        { line: wrong?.lineNum ?? 0, words: text(wrong ?? refused) },
      );
    try {
      return await alive(
        Promise.all(
          entries.map((entryPoint) =>
            device.createComputePipelineAsync({
              layout: pipelineLayout,
              compute: { module, entryPoint },
            }),
          ),
        ),
      );
    } catch (problem) {
      if (problem instanceof CannotRun) throw problem;
      throw new CannotRun("compile", text(problem));
    }
  };

  return {
    /** What the browser says of it; some say nothing. */
    about: () => {
      const {
        vendor = "",
        architecture = "",
        device: model = "",
        description = "",
      } = adapter.info ?? {};
      return { vendor, architecture, device: model, description };
    },
    end: () => {
      ended = true;
      device.destroy();
    },
    build,
    /** Both programs. @param {Shape} shape @returns {Promise<Programs>} */
    compile: async (shape) => ({
      passes: await build(
        program("passes", shape),
        PLAN.passes.map(([entry]) => entry),
      ),
      fused: await build(
        program("fused", shape),
        PLAN.fused.map(([entry]) => entry),
      ),
    }),
    /** Put inputs on the GPU. Without room for the scores only the fused kernel can run. @param {Size} size @param {Inputs} given @param {Programs} programs @param {Record<string, import("./kernels.js").Pass[]>} [plan] */
    place: async ({ n, d, heads }, { q, k, v }, programs, plan = PLAN) => {
      const scores = 4 * heads * n * n;
      const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
      const room = Math.min(maxStorageBufferBindingSize, maxBufferSize, MOST);
      /** @type {any[]} */
      const buffers = [];
      const fresh = (/** @type {number} */ bytes, /** @type {number} */ usage) => {
        buffers.push(device.createBuffer({ size: bytes, usage }));
        return buffers[buffers.length - 1];
      };
      const destroy = () => buffers.splice(0).forEach((buffer) => buffer.destroy());
      device.pushErrorScope("validation");
      device.pushErrorScope("out-of-memory");
      const fits = scores <= room;
      const sizes = [
        4,
        q.byteLength,
        k.byteLength,
        v.byteLength,
        q.byteLength,
        // Each binding needs a buffer, also where the form that uses it cannot run.
        fits ? scores : 4,
      ];
      const bound = sizes.map((bytes, i) =>
        fresh(bytes, (i === 0 ? UNIFORM : STORAGE) | COPY_DST | COPY_SRC),
      );
      const back = fresh(q.byteLength, MAP_READ | COPY_DST);
      const refused =
        // Scopes are popped in the opposite order: out-of-memory first.
        (await alive(device.popErrorScope())) ?? (await alive(device.popErrorScope()));
      if (refused) {
        destroy();
        throw new CannotRun("memory", text(refused));
      }
      [Uint32Array.of(n), q, k, v].forEach((values, i) =>
        device.queue.writeBuffer(bound[i], 0, values),
      );
      const bindings = device.createBindGroup({
        layout,
        entries: bound.map((buffer, binding) => ({ binding, resource: { buffer } })),
      });

      /** Run a form so often, and wait until the queue is empty. @param {string} form @returns {Promise<number>} seconds a run */
      const run = async (form, times = 1) => {
        const commands = device.createCommandEncoder();
        for (let i = 0; i < times; i++) {
          plan[form].forEach(([, groups], at) => {
            const pass = commands.beginComputePass();
            pass.setPipeline(programs[form][at]);
            pass.setBindGroup(0, bindings);
            pass.dispatchWorkgroups(...groups(n, d, heads));
            pass.end();
          });
        }
        const list = commands.finish();
        const began = performance.now();
        device.queue.submit([list]);
        // submit returns at once: only here the work is done.
        await alive(device.queue.onSubmittedWorkDone());
        return (performance.now() - began) / 1000 / times;
      };
      /** What lies in a buffer now. @param {number} binding @param {number} bytes @returns {Promise<ArrayBuffer>} */
      const read = async (binding, bytes) => {
        const copy = device.createCommandEncoder();
        copy.copyBufferToBuffer(bound[binding], 0, back, 0, bytes);
        device.queue.submit([copy.finish()]);
        await alive(back.mapAsync(1, 0, bytes));
        // Copied, since unmapping takes the bytes away.
        const values = back.getMappedRange(0, bytes).slice();
        back.unmap();
        return values;
      };
      /** What a form gives, written over zeros, so that nothing of the other is left. @param {string} form */
      const result = async (form) => {
        const wipe = device.createCommandEncoder();
        wipe.clearBuffer(bound[4]);
        wipe.clearBuffer(bound[5]);
        device.queue.submit([wipe.finish()]);
        await run(form);
        return new Float32Array(await read(4, q.byteLength));
      };
      return {
        forms: FORMS.filter((form) => fits || form === "fused"),
        run,
        result,
        read,
        destroy,
      };
    },
  };
}

/** @param {any} problem */
function text(problem) {
  return String(problem?.message ?? problem).split("\n")[0];
}
