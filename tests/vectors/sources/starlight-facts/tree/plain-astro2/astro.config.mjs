export default defineConfig({});
