import { shared } from './shared'
export default defineConfig({ ...shared, locales: {} })
