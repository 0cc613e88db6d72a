import { defineConfig } from 'vitepress'
export default defineConfig({ title: 'x', srcDir: './pages', srcExclude: ['**/drafts/**', 'README.md'] })
