export default { outDir: '../out' }
