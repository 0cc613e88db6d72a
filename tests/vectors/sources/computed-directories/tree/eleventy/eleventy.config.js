export default function () {
  return { dir: { input: process.env.INPUT } };
}
