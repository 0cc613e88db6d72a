export default defineConfig({ rewrites: { 'en/:rest*': ':rest*' } })
