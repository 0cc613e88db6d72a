export default () => <a href="/none">x</a>;
